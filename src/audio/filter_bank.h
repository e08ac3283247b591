// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "audio/spectrum.h"

namespace edgeprobe::audio {

/// Triangular filters over the bins of a spectrum.
struct FilterBank {
  struct Filter {
    std::size_t first = 0;        ///< Bin of the first weight.
    std::vector<double> weights;  ///< Behind the last one all are 0.
  };
  std::vector<Filter> filters;
};
FilterBank filter_bank(const FrontEnd& front_end, double rate);

/// Each filter's sum over each row.
Rows filtered(const FilterBank& bank, const Rows& spectrum);

}  // namespace edgeprobe::audio
