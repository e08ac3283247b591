// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "task/metrics/box.h"

namespace edgeprobe::task {

/// x, y in pixels and a score; for a truth 0 (not labelled), 1 (hidden) or 2 (visible).
using Point = std::array<double, 3>;

/// A body, a face or a hand as annotated by people.
struct TruePose {
  std::vector<Point> points;
  Box box;
  double area = 0;
  bool crowd = false;
  bool operator==(const TruePose&) const = default;
};
/// True if any of its points is labelled; only such poses are searched for.
bool is_labelled(const TruePose& pose);

/// Spread of human annotations for `count` points, relative to the size of the body: COCO's for its
/// 17, or else .05 each.
std::vector<double> spreads_of(std::size_t count);

/// COCO's object key point similarity, 0..1. Points that were not found (NaN) are infinitely far
/// away. `found` and the pose have one point for each spread.
double object_similarity(std::span<const Point> found, const TruePose& truth,
                         std::span<const double> spreads);

/// True if a found point is within `fraction` of the longer side of the pose's box; empty for an
/// unlabelled point.
std::optional<bool> is_correct_point(const Point& found, const TruePose& truth, std::size_t index,
                                     double fraction);

}  // namespace edgeprobe::task
