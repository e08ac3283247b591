// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/result.h"
#include "stretch/split/subject.h"

namespace edgeprobe::stretch {

inline constexpr std::size_t kRowAxis = 2;  ///< In N, C, H, W.

/// The input rows that a layer needs for an output row; or columns, along axis 3.
struct Window {
  std::int64_t kernel = 1, stride = 1, dilation = 1;
  std::int64_t above = 0, below = 0;  ///< Rows of padding.
  /// True if it has pads to set; false: each row depends only on the same row.
  bool slides = false;
  std::vector<std::size_t> inputs;  ///< The inputs that are read by rows; the others are constant.
};
/// kUnsupported, with the reason, for a layer that reads all rows or splits other dimensions.
Result<Window> window_of(const SplitSubject& subject, int layer, std::size_t axis = kRowAxis);

/// Rows from `first` to before `end`.
struct Rows {
  std::int64_t first = 0, end = 0;
};
/// The needed input rows, and the remaining padding above and below.
struct Needed {
  Rows rows;
  std::int64_t above = 0, below = 0;
};
/// `height`: rows of the input. Rows that consist only of padding are empty.
Needed needed_for(const Window& window, Rows rows, std::int64_t height);

}  // namespace edgeprobe::stretch
