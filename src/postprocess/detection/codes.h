// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace edgeprobe::postprocess::detection {

/// Boxes as outputs store them, four numbers each, and those of their points or their angle.
struct Codes {
  std::size_t boxes = 0, width = 0;  ///< Numbers of one box, four of which are its own.
  std::vector<float> values;
};

}  // namespace edgeprobe::postprocess::detection
