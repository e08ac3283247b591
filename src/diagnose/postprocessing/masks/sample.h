// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "trace/answer.h"

namespace edgeprobe::diagnose::masks {

/// Pixels of a recorded mask that a search looks at: all of a small one, else some of those at a
/// border between classes and some of the others. Differences lie at borders.
struct Sample {
  struct Pixel {
    std::uint32_t y = 0, x = 0;
    std::int32_t number = 0;  ///< Recorded.
    double stands_for = 1;    ///< Pixels of the mask.
    bool is_border = false;
  };
  std::vector<Pixel> pixels;
  double all = 0;           ///< Pixels of the mask.
  bool is_constant = true;  ///< One number everywhere.
};
Sample sample_of(const trace::Mask& mask);

}  // namespace edgeprobe::diagnose::masks
