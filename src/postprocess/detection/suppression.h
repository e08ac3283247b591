// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postprocess/detection/box.h"

namespace edgeprobe::postprocess::detection {

/// Distances from a limit within which float32 and float64 may disagree.
inline constexpr double kNearOverlap = 1e-4, kNearScore = 2e-6;
/// Scores that may stand in either order: sorts are not stable, and float32 is no float64.
inline constexpr double kTiedScore = 1e-6;

/// Which boxes rival one another.
enum class Rivals { kNone, kAllClasses, kSameClass };

/// Greedy non-maximum suppression.
struct Suppression {
  Rivals rivals = Rivals::kSameClass;
  OverlapOf of = OverlapOf::kUnion;
  double limit = 0.5;     ///< A box that overlaps a better one by more is dropped.
  bool is_sorted = true;  ///< False: in the order of the tensor.
  /// A box that stays becomes the mean of itself and those that it drops, weighted by their scores,
  /// as MediaPipe's weighted suppression has it.
  bool is_weighted = false;
  /// Of kAllClasses: pixels of the model's input by which each class's boxes are moved, down and to
  /// the right, so that classes do not meet. 0: they are not moved.
  double class_offset = 0;
  bool is_by_all = false;  ///< Boxes that went drop others as well: no loop, as on matrices.
  std::size_t most = 1'000'000;
  double pixel_width = 0, pixel_height = 0;  ///< Of the model's input, in shares of it.
  double near = kNearOverlap;                ///< 0: no box is optional for its overlap.
  bool operator==(const Suppression&) const = default;
};

/// The boxes that stay, best first; equal scores in the order of `candidates`. A box is optional if
/// its overlap lies within `near` of the limit; optional boxes do not count towards `most`,
/// and those behind the last counted one are optional for that reason.
std::vector<Detection> suppressed(std::span<const Detection> candidates, const Suppression& rule);

}  // namespace edgeprobe::postprocess::detection
