// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "postprocess/segmentation/cells.h"

namespace edgeprobe::postprocess::segmentation {

/// Place in a row or column of cells that one of the mask looks at.
struct Tap {
  std::size_t low = 0, high = 0;
  double weight = 0;    ///< Of `high`.
  bool is_tie = false;  ///< Rounding decides for the nearest cell: `high` is as near.
};

/// Where each row and column of a mask comes from.
struct Plan {
  std::size_t height = 0, width = 0;
  std::vector<Tap> rows, columns;
};
/// `picture` is the size in pixels of what the app got, `model` that of the model's input.
Plan plan_of(const Recipe& recipe, const Grid& cells, Size picture, Size model);

}  // namespace edgeprobe::postprocess::segmentation
