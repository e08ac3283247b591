// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "postprocess/detection/coordinates.h"

/// Points that belong to a box: of a body or a face, or the corners of a rotated box.
namespace edgeprobe::postprocess::detection {

/// Meaning of the numbers after those of a box.
struct Keypoints {
  std::size_t count = 0;  ///< 0: boxes have none.
  /// Meaning of the numbers of a point, one letter each: x, y, s (score), _ (not read).
  std::string numbers = "xys";
  std::optional<double> shown;  ///< Points with a lower score are not shown.

  // Faults, which have no text.
  std::optional<Scale> scale;  ///< Points are mapped to the picture differently from boxes.
  bool is_y_first = false;
  std::vector<std::size_t> order;  ///< Point i is the model's order[i]; empty: unchanged.
  bool are_not_moved = false;      ///< Without the offset of their cell or anchor.
  bool operator==(const Keypoints&) const = default;
};

/// True if `letters` are valid for a point: x and y once, s at most once, _.
bool are_numbers_of_point(std::string_view letters);
inline constexpr const char* kNumbersOfPoint =
    "a point is x and y once, s (its score) at most once, and _ for each number that is not read: "
    "yxs, xys, xy, xy_s";

}  // namespace edgeprobe::postprocess::detection
