// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "postprocess/detection/box.h"

/// Boxes rotated around their centres.
namespace edgeprobe::postprocess::detection {

/// In pixels; `angle` in radians, clockwise if y points down.
struct Turned {
  double x = 0, y = 0, width = 0, height = 0, angle = 0;
};
using Corner = std::array<double, 2>;
using Corners = std::array<Corner, 4>;

constexpr bool is_of_turned(OverlapOf of) {
  return of == OverlapOf::kTurned || of == OverlapOf::kGaussians;
}

Turned turned(const Box& box, double angle);
/// In order around the box.
Corners corners(const Turned& box);
/// The bounding box of points.
Box around(const Corners& corners);

/// kTurned or kGaussians; 0 for boxes without area.
double turned_overlap(const Turned& a, const Turned& b, OverlapOf of);

}  // namespace edgeprobe::postprocess::detection
