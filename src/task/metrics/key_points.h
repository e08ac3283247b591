// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "task/metrics/box.h"

namespace edgeprobe::task {

/// x, y in pixels and a score, or for a truth 0 (not labelled), 1 (hidden) or 2 (seen).
using Point = std::array<double, 3>;

/// A body, a face or a hand as people marked it.
struct TruePose {
  std::vector<Point> points;
  Box box;
  double area = 0;
  bool crowd = false;
  bool operator==(const TruePose&) const = default;
};
/// Whether any of its points is labelled: others are not looked for.
bool is_labelled(const TruePose& pose);

/// Spread of people's own marks of `count` points, relative to the size of the body: COCO's for its
/// 17, else .05 each.
std::vector<double> spreads_of(std::size_t count);

/// Object key point similarity of COCO, 0..1. Points that were not found (NaN) are infinitely far.
/// `found` and the pose have as many points as there are spreads.
double object_similarity(std::span<const Point> found, const TruePose& truth,
                         std::span<const double> spreads);

/// Whether a found point lies within `fraction` of the longer side of the pose's box; nothing for a
/// point that is not labelled.
std::optional<bool> is_correct_point(const Point& found, const TruePose& truth, std::size_t index,
                                     double fraction);

}  // namespace edgeprobe::task
