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

/// What an app made of the outputs of one frame, as it hands it on. A part that is absent was not
/// given; an empty one was: "no box" is an answer.
struct Answer {
  std::optional<std::vector<std::string>> labels;    ///< UTF-8, in the app's order.
  std::optional<std::vector<std::int64_t>> classes;  ///< Numbers instead of labels, or beside them.
  std::optional<std::vector<float>> scores;          ///< One for each label, class or box.
  std::optional<std::vector<std::array<float, 4>>>
      boxes;  ///< Four numbers each, as the app has them.
  std::optional<Mask> mask;
  std::optional<std::vector<std::array<float, 3>>> points;  ///< x, y, score; NaN: not shown.
  std::optional<std::vector<float>> vector;                 ///< An embedding.
  std::optional<float> score;                               ///< Of an anomaly.
  std::optional<bool> alarm;
  std::optional<std::string> text;  ///< A sequence: what was heard, read or written.
};
bool operator==(const Answer& a, const Answer& b);
inline bool operator!=(const Answer& a, const Answer& b) { return !(a == b); }

/// Parts of an answer, by their numbers in a message (docs/reference/trace-format.md).
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
/// Of one part, behind its head.
inline constexpr std::uint64_t kLongestAnswerPart = UINT32_MAX;

/// The message of an answer, part after part. Each part fits kLongestAnswerPart; no part twice.
class AnswerWriter {
 public:
  /// Writes in place of what `to` holds, whose memory is kept.
  explicit AnswerWriter(Bytes& to);
  /// `values` are little-endian, as many as the product of `dims`.
  void numbers(AnswerPart part, DType dtype, std::initializer_list<std::uint32_t> dims,
               const void* values);
  void begin_texts(AnswerPart part, std::uint32_t count);
  void text(std::string_view text);
  void end_texts();

 private:
  std::byte* begin(AnswerPart part, std::uint8_t dtype, std::initializer_list<std::uint32_t> dims,
                   std::size_t size);
  Bytes& to_;
  std::size_t texts_ = 0;  ///< Where the part under way begins.
};

/// The message of an answer, as it stands on a channel of stage kAnswer.
Bytes encode(const Answer& answer);

/// The inverse of encode(). Parts of later versions are left out. Fails with kCorrupt on lengths
/// and counts that do not fit, texts that are no UTF-8, parts that come twice; with kUnsupported on
/// a later layout. Any number is kept, NaN and boxes whose corners are exchanged as well.
Result<Answer> decode_answer(ByteView message);

}  // namespace edgeprobe::trace
