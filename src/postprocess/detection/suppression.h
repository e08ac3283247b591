// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postprocess/detection/box.h"

namespace edgeprobe::postprocess::detection {

/// Distances from a limit within which float32 and float64 may disagree.
inline constexpr double kNearOverlap = 1e-4, kNearScore = 2e-6;
/// Scores that may appear in either order: sorts may be unstable, and float32 differs from float64.
inline constexpr double kTiedScore = 1e-6;

/// The boxes that can suppress each other.
enum class Rivals { kNone, kAllClasses, kSameClass };

/// Greedy non-maximum suppression.
struct Suppression {
  Rivals rivals = Rivals::kSameClass;
  OverlapOf of = OverlapOf::kUnion;
  double limit = 0.5;     ///< A box that overlaps a better one by more is dropped.
  bool is_sorted = true;  ///< False: in tensor order.
  /// A kept box becomes the mean of itself and those that it drops, weighted by their scores, as in
  /// MediaPipe's weighted suppression.
  bool is_weighted = false;
  /// For kAllClasses: offset in pixels of the model's input for the boxes of each class, down and
  /// to the right, so that classes do not overlap. 0: no offset.
  double class_offset = 0;
  bool is_by_all = false;  ///< Dropped boxes drop others as well: matrix form, without a loop.
  std::size_t most = 1'000'000;
  double pixel_width = 0, pixel_height = 0;  ///< In shares of the model's input.
  double near = kNearOverlap;                ///< 0: no box is optional because of its overlap.
  bool operator==(const Suppression&) const = default;
};

/// The kept boxes, best first; equal scores in the order of `candidates`. A box is optional if its
/// overlap is within `near` of the limit; optional boxes do not count towards `most`, and boxes
/// after the last counted one are optional for that reason.
std::vector<Detection> suppressed(std::span<const Detection> candidates, const Suppression& rule);

}  // namespace edgeprobe::postprocess::detection
