// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace edgeprobe::postprocess::detection {

/// A box given by two corners, x to the right and y down; the unit depends on the owner. A faulty
/// app's box may be inverted (x1 > x2).
struct Box {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  bool operator==(const Box&) const = default;
};

/// Four numbers, as stored in a tensor or reported by an app.
using Numbers = std::array<double, 4>;

/// A box found by a model or an app.
struct Detection {
  Box box;
  int id = 0;  ///< Class, counted from the first one after the background.
  double score = 0;
  /// A limit is so close that rounding decides whether the box is kept (see kNearOverlap).
  bool is_optional = false;
  std::size_t row = 0;  ///< Row of the outputs that it was read from.
  double angle = 0;     ///< Clockwise rotation around its centre, in radians.
  /// Rows that were averaged into it, each with its weight; empty: only `row`.
  std::vector<std::pair<std::size_t, double>> merged = {};
};

/// The denominator of the overlap of two boxes.
enum class OverlapOf {
  kUnion,        ///< Intersection over union.
  kSmallerArea,  ///< Intersection over the area of the smaller box.
  /// Intersection over union with both sides one unit longer: corners treated as whole pixels.
  kUnionOfPixels,
  kTurned,     ///< Intersection over union of rotated boxes.
  kGaussians,  ///< Rotated boxes as normal distributions: 1 - their Hellinger distance.
};

/// Overlap of two boxes, 0..1; 0 for boxes without area, as in TensorFlow Lite's operator.
/// `pixel_*`: the unit that kUnionOfPixels adds, in the unit of the boxes.
double overlap(const Box& a, const Box& b, OverlapOf of, double pixel_width = 0,
               double pixel_height = 0);

}  // namespace edgeprobe::postprocess::detection
