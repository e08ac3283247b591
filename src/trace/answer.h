// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/dtype.h"
#include "core/result.h"

namespace edgeprobe::trace {

/// A class for each pixel, row-major.
struct Mask {
  std::uint32_t height = 0, width = 0;
  std::vector<std::int32_t> classes;  ///< height x width.
};
bool operator==(const Mask& a, const Mask& b);
inline bool operator!=(const Mask& a, const Mask& b) { return !(a == b); }

/// What an app computed from the outputs of one frame. An absent part was not recorded; an empty
/// part is an answer too: "no box".
struct Answer {
  std::optional<std::vector<std::string>> labels;  ///< UTF-8, in the app's order.
  /// Class indices, instead of or besides labels.
  std::optional<std::vector<std::int64_t>> classes;
  std::optional<std::vector<float>> scores;  ///< One per label, class or box.
  std::optional<std::vector<std::array<float, 4>>>
      boxes;  ///< Four numbers per box, in the app's own convention.
  std::optional<Mask> mask;
  std::optional<std::vector<std::array<float, 3>>> points;  ///< x, y, score; NaN if not visible.
  std::optional<std::vector<float>> vector;                 ///< An embedding.
  std::optional<float> score;                               ///< Anomaly score.
  std::optional<bool> alarm;
  std::optional<std::string> text;  ///< Recognised or generated text.
};
bool operator==(const Answer& a, const Answer& b);
inline bool operator!=(const Answer& a, const Answer& b) { return !(a == b); }

/// Parts of an answer; the values are those in a message (docs/reference/trace-format.md).
enum class AnswerPart : std::uint8_t {
  kLabels = 1,
  kClasses,
  kScores,
  kBoxes,
  kMask,
  kPoints,
  kVector,
  kScore,
  kAlarm,
  kText,
};
inline constexpr std::uint8_t kAnswerVersion = 1, kAnswerTexts = 255;
inline constexpr std::size_t kAnswerPartHead = 8;
/// Largest body of one part, without its header.
inline constexpr std::uint64_t kLongestAnswerPart = UINT32_MAX;

/// Builds the message of an answer part by part. Each part has at most kLongestAnswerPart bytes and
/// occurs at most once.
class AnswerWriter {
 public:
  /// Overwrites the contents of `to` but reuses its memory.
  explicit AnswerWriter(Bytes& to);
  /// `values` are little-endian; their count is the product of `dims`.
  void numbers(AnswerPart part, DType dtype, std::initializer_list<std::uint32_t> dims,
               const void* values);
  void begin_texts(AnswerPart part, std::uint32_t count);
  void text(std::string_view text);
  void end_texts();

 private:
  std::byte* begin(AnswerPart part, std::uint8_t dtype, std::initializer_list<std::uint32_t> dims,
                   std::size_t size);
  Bytes& to_;
  std::size_t texts_ = 0;  ///< Where the current part begins.
};

/// Encodes an answer as a message of a channel of stage kAnswer.
Bytes encode(const Answer& answer);

/// The inverse of encode(). Skips parts of later versions. Fails with kCorrupt on inconsistent
/// lengths or counts, invalid UTF-8 and repeated parts; with kUnsupported on a later layout.
/// Accepts any number, including NaN and boxes with swapped corners.
Result<Answer> decode_answer(ByteView message);

}  // namespace edgeprobe::trace
