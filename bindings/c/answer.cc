// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>

#include "answers.h"
#include "probe/probe.h"
#include "trace/answer.h"
#include "trace/names.h"

// The answer of a frame: the application's own result, as one message.

using edgeprobe::Bytes;
using edgeprobe::DType;
using edgeprobe::trace::AnswerPart;
using edgeprobe::trace::AnswerWriter;
using edgeprobe::trace::Stage;
using namespace edgeprobe::c;

namespace {

constexpr std::uint32_t kKnownParts = 2 * EDGEPROBE_ANSWER_TEXT - 1;
constexpr std::uint64_t kMostBytes = edgeprobe::trace::kLongestAnswerPart - 64;
constexpr char kTooLong[] = "a part of the answer has 4 GiB or more";

bool has(const edgeprobe_answer& answer, edgeprobe_answer_part part) {
  return (answer.parts & static_cast<std::uint32_t>(part)) != 0;
}

struct List {
  edgeprobe_answer_part part;
  const void* values;
  std::uint64_t count;
  std::uint64_t width;  ///< Bytes of one entry.
  const char* missing;
};

// EDGEPROBE_OK, or the problem with pointers and sizes.
edgeprobe_status check(const edgeprobe_answer& a) {
  if (a.parts == 0) return usage("the answer is empty: set answer.parts");
  if (a.parts > kKnownParts)
    return fail(EDGEPROBE_UNSUPPORTED, "answer.parts has a part that this version does not know");
  const bool is_byte = number_in(a.mask_dtype) == EDGEPROBE_UINT8,
             is_short = number_in(a.mask_dtype) == EDGEPROBE_UINT16;
  if (has(a, EDGEPROBE_ANSWER_MASK) && !is_byte && !is_short &&
      number_in(a.mask_dtype) != EDGEPROBE_INT32)
    return usage("answer.mask_dtype must be EDGEPROBE_UINT8, EDGEPROBE_UINT16 or EDGEPROBE_INT32");
  const std::uint64_t pixels = std::uint64_t{a.mask_height} * a.mask_width;
  for (const List& list : {
           List{EDGEPROBE_ANSWER_LABELS, a.labels, a.count, 4, "answer.labels is NULL"},
           List{EDGEPROBE_ANSWER_CLASSES, a.classes, a.count, 8, "answer.classes is NULL"},
           List{EDGEPROBE_ANSWER_SCORES, a.scores, a.count, 4, "answer.scores is NULL"},
           List{EDGEPROBE_ANSWER_BOXES, a.boxes, a.count, 16, "answer.boxes is NULL"},
           List{EDGEPROBE_ANSWER_MASK, a.mask, pixels,
                is_byte    ? 1u
                : is_short ? 2u
                           : 4u,
                "answer.mask is NULL"},
           List{EDGEPROBE_ANSWER_POINTS, a.points, a.point_count, 12, "answer.points is NULL"},
           List{EDGEPROBE_ANSWER_VECTOR, a.vector, a.vector_count, 4, "answer.vector is NULL"},
           List{EDGEPROBE_ANSWER_TEXT, a.text, 1, 1, "answer.text is NULL"},
       }) {
    if (!has(a, list.part)) continue;
    if (!list.values && list.count) return usage(list.missing);
    if (list.count > kMostBytes / list.width) return fail(EDGEPROBE_LIMIT, kTooLong);
  }
  return EDGEPROBE_OK;
}

// Length of a text that may be recorded; if not, reports the problem and leaves `size` unset.
edgeprobe_status take_text(const char* text, std::uint64_t room, std::size_t& size) {
  if (!text) return usage("a label of the answer is NULL");
  const std::size_t length = std::strlen(text);
  if (length + 4 > room) return fail(EDGEPROBE_LIMIT, kTooLong);
  if (!edgeprobe::trace::is_utf8({text, length}))
    return usage("a text of the answer is not UTF-8; convert it before logging it");
  size = length;
  return EDGEPROBE_OK;
}

edgeprobe_status write_texts(AnswerWriter& writer, AnswerPart part, const char* const* texts,
                             std::size_t count) {
  std::uint64_t room = kMostBytes;
  writer.begin_texts(part, static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t size = 0;
    if (const auto status = take_text(texts[i], room, size); status != EDGEPROBE_OK) return status;
    writer.text({texts[i], size});
    room -= size + 4;
  }
  writer.end_texts();
  return EDGEPROBE_OK;
}

edgeprobe_status write(const edgeprobe_answer& a, Bytes& to) {
  AnswerWriter writer(to);
  const auto count = static_cast<std::uint32_t>(a.count);
  edgeprobe_status status = EDGEPROBE_OK;
  if (has(a, EDGEPROBE_ANSWER_LABELS))
    status = write_texts(writer, AnswerPart::kLabels, a.labels, a.count);
  if (status != EDGEPROBE_OK) return status;
  if (has(a, EDGEPROBE_ANSWER_CLASSES))
    writer.numbers(AnswerPart::kClasses, DType::kInt64, {count}, a.classes);
  if (has(a, EDGEPROBE_ANSWER_SCORES))
    writer.numbers(AnswerPart::kScores, DType::kFloat32, {count}, a.scores);
  if (has(a, EDGEPROBE_ANSWER_BOXES))
    writer.numbers(AnswerPart::kBoxes, DType::kFloat32, {count, 4}, a.boxes);
  if (has(a, EDGEPROBE_ANSWER_MASK))
    writer.numbers(AnswerPart::kMask, static_cast<DType>(number_in(a.mask_dtype)),
                   {a.mask_height, a.mask_width}, a.mask);
  if (has(a, EDGEPROBE_ANSWER_POINTS))
    writer.numbers(AnswerPart::kPoints, DType::kFloat32,
                   {static_cast<std::uint32_t>(a.point_count), 3}, a.points);
  if (has(a, EDGEPROBE_ANSWER_VECTOR))
    writer.numbers(AnswerPart::kVector, DType::kFloat32,
                   {static_cast<std::uint32_t>(a.vector_count)}, a.vector);
  if (has(a, EDGEPROBE_ANSWER_SCORE))
    writer.numbers(AnswerPart::kScore, DType::kFloat32, {}, &a.score);
  if (has(a, EDGEPROBE_ANSWER_ALARM)) {
    const std::uint8_t alarm = a.alarm != 0;
    writer.numbers(AnswerPart::kAlarm, DType::kBool, {}, &alarm);
  }
  return has(a, EDGEPROBE_ANSWER_TEXT) ? write_texts(writer, AnswerPart::kText, &a.text, 1)
                                       : EDGEPROBE_OK;
}

}  // namespace

extern "C" {

edgeprobe_status edgeprobe_log_answer(edgeprobe_frame* handle, const edgeprobe_answer* answer) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!answer ||
      !is_struct_of(answer->struct_size, offsetof(edgeprobe_answer, text) + sizeof answer->text))
    return usage("the answer is NULL, or its struct_size is wrong");
  if (const auto status = check(*answer); status != EDGEPROBE_OK) return status;
  // Problems with a text are reported only if it would be recorded.
  if (!frame->wants(Stage::kAnswer, false)) return EDGEPROBE_OK;
  return guarded([&] {
    const std::uint64_t start = frame.probe().recorder().clock.ticks();
    Bytes& message = frame->message_buffer();
    if (const auto status = write(*answer, message); status != EDGEPROBE_OK) return status;
    frame->spent_since(start);
    return told(frame, frame->answer(answer->name ? answer->name : "answer", message));
  });
}

}  // extern "C"
