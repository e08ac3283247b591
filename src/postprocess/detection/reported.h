// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "postprocess/detection/box.h"
#include "postprocess/detection/codes.h"
#include "postprocess/detection/recipe.h"

/// A box and its points as an app reports them.
namespace edgeprobe::postprocess::detection {

/// True if the recipe's answers have points in addition to boxes: key points, or corners.
bool has_points(const Recipe& recipe);
/// Number of points per box.
std::size_t points_a_box(const Recipe& recipe);

/// x, y and score; x and y are NaN for a point that is not visible.
using ReportedPoint = std::array<double, 3>;

/// A box and its points as the recipe reports them. A rotated box is reported as its bounding box.
struct Reported {
  Numbers box{};
  std::vector<ReportedPoint> points;
};
Reported reported(const Recipe& recipe, const Detection& one, const Codes& codes, Size picture,
                  Size model);

}  // namespace edgeprobe::postprocess::detection
