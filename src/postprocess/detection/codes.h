// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace edgeprobe::postprocess::detection {

/// Boxes as stored in outputs: four numbers each, and those of their points or their angle.
struct Codes {
  std::size_t boxes = 0, width = 0;  ///< Numbers per box, the first four are the box itself.
  std::vector<float> values;
};

}  // namespace edgeprobe::postprocess::detection
