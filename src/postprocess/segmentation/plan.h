// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "postprocess/segmentation/cells.h"

namespace edgeprobe::postprocess::segmentation {

/// Position in a row or column of cells that a row or column of the mask reads.
struct Tap {
  std::size_t low = 0, high = 0;
  double weight = 0;    ///< Weight of `high`.
  bool is_tie = false;  ///< Rounding decides the nearest cell: `high` is equally near.
};

/// Source of each row and column of a mask.
struct Plan {
  std::size_t height = 0, width = 0;
  std::vector<Tap> rows, columns;
};
/// `picture` is the size in pixels of the app's picture, `model` that of the model's input.
Plan plan_of(const Recipe& recipe, const Grid& cells, Size picture, Size model);

}  // namespace edgeprobe::postprocess::segmentation
