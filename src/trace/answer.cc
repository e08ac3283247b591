// SPDX-License-Identifier: Apache-2.0
#include "trace/answer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>

#include "core/codec.h"

namespace edgeprobe::trace {
namespace {

std::uint32_t count_of(std::size_t count) { return static_cast<std::uint32_t>(count); }

// Masks rarely have more than 256 classes: one byte per pixel usually suffices.
void write_mask(AnswerWriter& writer, const Mask& mask) {
  const auto [least, most] = std::minmax_element(mask.classes.begin(), mask.classes.end());
  const bool is_small =
      mask.classes.empty() || (*least >= 0 && *most <= std::numeric_limits<std::uint8_t>::max());
  if (!is_small)
    return writer.numbers(AnswerPart::kMask, DType::kInt32, {mask.height, mask.width},
                          mask.classes.data());
  std::vector<std::uint8_t> narrow(mask.classes.size());
  std::transform(mask.classes.begin(), mask.classes.end(), narrow.begin(),
                 [](std::int32_t value) { return static_cast<std::uint8_t>(value); });
  writer.numbers(AnswerPart::kMask, DType::kUInt8, {mask.height, mask.width}, narrow.data());
}

}  // namespace

bool operator==(const Mask& a, const Mask& b) {
  return std::tie(a.height, a.width, a.classes) == std::tie(b.height, b.width, b.classes);
}

bool operator==(const Answer& a, const Answer& b) {
  const auto all = [](const Answer& answer) {
    return std::tie(answer.labels, answer.classes, answer.scores, answer.boxes, answer.mask,
                    answer.points, answer.vector, answer.score, answer.alarm, answer.text);
  };
  return all(a) == all(b);
}

AnswerWriter::AnswerWriter(Bytes& to) : to_(to) { to_.assign(1, std::byte{kAnswerVersion}); }

std::byte* AnswerWriter::begin(AnswerPart part, std::uint8_t dtype,
                               std::initializer_list<std::uint32_t> dims, std::size_t size) {
  const std::size_t start = to_.size(), head = kAnswerPartHead + 4 * dims.size();
  to_.resize(start + head + size);
  std::byte* at = to_.data() + start;
  at[0] = static_cast<std::byte>(part);
  at[1] = static_cast<std::byte>(dtype);
  at[2] = static_cast<std::byte>(dims.size());
  at[3] = std::byte{0};
  store_little(at + 4, count_of(head - kAnswerPartHead + size));
  at += kAnswerPartHead;
  for (const std::uint32_t dim : dims) {
    store_little(at, dim);
    at += 4;
  }
  return at;
}

void AnswerWriter::numbers(AnswerPart part, DType dtype, std::initializer_list<std::uint32_t> dims,
                           const void* values) {
  std::size_t size = size_of(dtype);
  for (const std::uint32_t dim : dims) size *= dim;
  std::byte* const to = begin(part, static_cast<std::uint8_t>(dtype), dims, size);
  if (size) std::memcpy(to, values, size);
}

void AnswerWriter::begin_texts(AnswerPart part, std::uint32_t count) {
  texts_ = to_.size();
  (void)begin(part, kAnswerTexts, {count}, 0);
}

void AnswerWriter::text(std::string_view text) {
  const std::size_t at = to_.size();
  to_.resize(at + 4 + text.size());
  store_little(to_.data() + at, count_of(text.size()));
  if (!text.empty()) std::memcpy(to_.data() + at + 4, text.data(), text.size());
}

void AnswerWriter::end_texts() {
  store_little(to_.data() + texts_ + 4, count_of(to_.size() - texts_ - kAnswerPartHead));
}

Bytes encode(const Answer& answer) {
  Bytes bytes;
  AnswerWriter writer(bytes);
  const auto texts = [&](AnswerPart part, const std::string* first, std::size_t count) {
    writer.begin_texts(part, count_of(count));
    for (std::size_t i = 0; i < count; ++i) writer.text(first[i]);
    writer.end_texts();
  };
  if (answer.labels) texts(AnswerPart::kLabels, answer.labels->data(), answer.labels->size());
  if (answer.classes)
    writer.numbers(AnswerPart::kClasses, DType::kInt64, {count_of(answer.classes->size())},
                   answer.classes->data());
  if (answer.scores)
    writer.numbers(AnswerPart::kScores, DType::kFloat32, {count_of(answer.scores->size())},
                   answer.scores->data());
  if (answer.boxes)
    writer.numbers(AnswerPart::kBoxes, DType::kFloat32, {count_of(answer.boxes->size()), 4},
                   answer.boxes->data());
  if (answer.mask) write_mask(writer, *answer.mask);
  if (answer.points)
    writer.numbers(AnswerPart::kPoints, DType::kFloat32, {count_of(answer.points->size()), 3},
                   answer.points->data());
  if (answer.vector)
    writer.numbers(AnswerPart::kVector, DType::kFloat32, {count_of(answer.vector->size())},
                   answer.vector->data());
  if (answer.score) writer.numbers(AnswerPart::kScore, DType::kFloat32, {}, &*answer.score);
  if (answer.alarm) {
    const std::uint8_t alarm = *answer.alarm;
    writer.numbers(AnswerPart::kAlarm, DType::kBool, {}, &alarm);
  }
  if (answer.text) texts(AnswerPart::kText, &*answer.text, 1);
  return bytes;
}

}  // namespace edgeprobe::trace
