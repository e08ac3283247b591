// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "postprocess/detection/recipe.h"

/// Outputs of a head that the graph does not decode, box by box.
namespace edgeprobe::postprocess::detection {

/// The numbers of all boxes, one row each.
struct MapRows {
  std::size_t boxes = 0, classes = 0;
  std::vector<double> edges, scores, object, points;
};
/// kUsage names the output that does not fit and the expected shape, or the matching step.
Result<MapRows> read_maps(const Recipe& recipe, std::span<const TensorView> outputs, Size model);

/// Keeps the score of a cell if no neighbour has a better one for that class; sets others to 0.
void keep_peaks(std::vector<double>& scores, std::size_t classes, std::size_t columns);
/// Number of columns in the only map of a recipe.
std::size_t columns_of(const Recipe& recipe, Size model);

}  // namespace edgeprobe::postprocess::detection
