// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bisect/black_box.h"
#include "bisect/found.h"
#include "core/control.h"
#include "core/result.h"

namespace edgeprobe::bisect {

struct SearchOptions {
  std::size_t most_wrong = 8;  ///< Faults that are looked for before it is left at that.
};

/// Finds the units that the device computes wrongly: the first in at most ceil(log2 units) + 3
/// runs where no part is refused and rounding does not add up. Errors are the host's.
Result<Found> search(BlackBox& box, const SearchOptions& options, const Control& control);

}  // namespace edgeprobe::bisect
