// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/result.h"
#include "stretch/split/subject.h"

namespace edgeprobe::stretch {

inline constexpr std::size_t kRowAxis = 2;  ///< Of N, C, H, W.

/// Which rows of its inputs a layer needs for a row of its output; or columns, along axis 3.
struct Window {
  std::int64_t kernel = 1, stride = 1, dilation = 1;
  std::int64_t above = 0, below = 0;  ///< Rows of padding.
  bool slides = false;  ///< Whether it has pads to be told; else each row is computed of its own.
  std::vector<std::size_t> inputs;  ///< Those that are read by rows; the rest is constant.
};
/// kUnsupported, with the reason, for a layer that looks at all rows or at other dimensions.
Result<Window> window_of(const SplitSubject& subject, int layer, std::size_t axis = kRowAxis);

/// Rows from `first` up to `end`.
struct Rows {
  std::int64_t first = 0, end = 0;
};
/// The rows of the input, and the padding that is left above and below.
struct Needed {
  Rows rows;
  std::int64_t above = 0, below = 0;
};
/// `height`: rows that the input has. Rows that are nothing but padding are empty.
Needed needed_for(const Window& window, Rows rows, std::int64_t height);

}  // namespace edgeprobe::stretch
