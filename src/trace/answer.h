// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::trace {

/// A class for each pixel, row-major.
struct Mask {
  std::uint32_t height = 0, width = 0;
  std::vector<std::int32_t> classes;  ///< height x width.
  bool operator==(const Mask&) const = default;
};

/// What an app made of the outputs of one frame, as it hands it on. A part that is absent was not
/// given; an empty one was: "no box" is an answer.
struct Answer {
  std::optional<std::vector<std::string>> labels;    ///< UTF-8, in the app's order.
  std::optional<std::vector<std::int64_t>> classes;  ///< Numbers instead of labels, or beside them.
  std::optional<std::vector<float>> scores;          ///< One for each label, class or box.
  std::optional<std::vector<std::array<float, 4>>> boxes;  ///< Four numbers each, as the app has them.
  std::optional<Mask> mask;
  std::optional<std::vector<std::array<float, 3>>> points;  ///< x, y, score; NaN: not shown.
  std::optional<std::vector<float>> vector;                 ///< An embedding.
  std::optional<float> score;                               ///< Of an anomaly.
  std::optional<bool> alarm;
  std::optional<std::string> text;  ///< A sequence: what was heard, read or written.
  bool operator==(const Answer&) const = default;
};

}  // namespace edgeprobe::trace
