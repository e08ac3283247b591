// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace edgeprobe::postprocess::detection {

/// Box by two corners, x to the right and y down; the unit is its owner's. A box of an app with a
/// fault may be inverted (x1 > x2).
struct Box {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  bool operator==(const Box&) const = default;
};

/// Four numbers, as a tensor holds them or an app reports them.
using Numbers = std::array<double, 4>;

/// A box that a model or an app found.
struct Detection {
  Box box;
  int id = 0;  ///< Class, counted from the first one behind the background.
  double score = 0;
  /// A limit lies so near that rounding decides whether the box is kept (see kNearOverlap).
  bool is_optional = false;
  std::size_t row = 0;  ///< Of the outputs that it was read from.
  double angle = 0;     ///< By which it is turned around its centre, in radians, clockwise.
  /// Rows that it is the mean of, each with its weight; empty: only `row`.
  std::vector<std::pair<std::size_t, double>> merged = {};
};

/// Whose share the intersection of two boxes is.
enum class OverlapOf {
  kUnion,        ///< Intersection over union.
  kSmallerArea,  ///< Intersection over the area of the smaller box.
  /// Intersection over union with both sides one unit longer: corners taken for whole pixels.
  kUnionOfPixels,
  kTurned,     ///< Intersection over union of turned boxes.
  kGaussians,  ///< Of turned boxes as normal distributions: 1 - their Hellinger distance.
};

/// Overlap of two boxes, 0..1; 0 for boxes without area, as the rule of TensorFlow Lite's operator
/// has it. `pixel_*`: the unit that kUnionOfPixels adds, in the unit of the boxes.
double overlap(const Box& a, const Box& b, OverlapOf of, double pixel_width = 0,
               double pixel_height = 0);

}  // namespace edgeprobe::postprocess::detection
