// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bisect/black_box.h"
#include "bisect/found.h"
#include "core/control.h"
#include "core/result.h"

namespace edgeprobe::bisect {

struct SearchOptions {
  std::size_t most_wrong = 8;  ///< Maximum number of faults to search for.
};

/// Finds the units that the device computes wrongly: the first one in at most ceil(log2 units) + 3
/// runs if no part is refused and rounding does not accumulate. Errors come from the host.
Result<Found> search(BlackBox& box, const SearchOptions& options, const Control& control);

}  // namespace edgeprobe::bisect
