// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "postprocess/detection/box.h"
#include "postprocess/detection/codes.h"
#include "postprocess/detection/recipe.h"

/// A box and its points as an app hands them on.
namespace edgeprobe::postprocess::detection {

/// Whether an answer of the recipe has points beside its boxes: key points, or corners.
bool has_points(const Recipe& recipe);
/// How many each box has.
std::size_t points_a_box(const Recipe& recipe);

/// x, y and score; x and y are NaN where the point is not shown.
using ReportedPoint = std::array<double, 3>;

/// A box and its points as the recipe reports them. The box of a turned one is that around it.
struct Reported {
  Numbers box{};
  std::vector<ReportedPoint> points;
};
Reported reported(const Recipe& recipe, const Detection& one, const Codes& codes, Size picture,
                  Size model);

}  // namespace edgeprobe::postprocess::detection
