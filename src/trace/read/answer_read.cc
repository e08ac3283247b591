// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>
#include <set>

#include "core/codec.h"
#include "trace/answer.h"
#include "trace/names.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kMostAnswerRank = 2;  // Largest rank of a known part.

/// Type and shape of a part.
struct AnswerForm {
  const char* name;
  enum Values { kTexts, kReals, kWhole, kFlag } values;
  std::size_t rank;
  std::uint32_t last;  ///< Required last dimension; 0: any.
};
constexpr AnswerForm kAnswerForms[] = {
    {"labels", AnswerForm::kTexts, 1, 0}, {"classes", AnswerForm::kWhole, 1, 0},
    {"scores", AnswerForm::kReals, 1, 0}, {"boxes", AnswerForm::kReals, 2, 4},
    {"mask", AnswerForm::kWhole, 2, 0},   {"points", AnswerForm::kReals, 2, 3},
    {"vector", AnswerForm::kReals, 1, 0}, {"score", AnswerForm::kReals, 0, 0},
    {"alarm", AnswerForm::kFlag, 0, 0},   {"text", AnswerForm::kTexts, 1, 1},
};

Error bad_answer(std::string what) {
  return {ErrorKind::kCorrupt, "an answer: " + std::move(what)};
}

std::string count_text(std::uint64_t value) { return std::to_string(value); }

/// A known part whose number of bytes matches its dimensions.
struct FoundPart {
  const AnswerForm* form = nullptr;
  DType dtype = DType::kOther;
  std::uint32_t dims[kMostAnswerRank] = {};
  ByteView values;
  std::size_t count = 1;  ///< Product of the dimensions.
};

bool takes(const AnswerForm& form, std::uint8_t dtype) {
  if (form.values == AnswerForm::kTexts) return dtype == kAnswerTexts;
  if (dtype > static_cast<std::uint8_t>(DType::kBool)) return false;
  const auto known = static_cast<DType>(dtype);
  if (form.values == AnswerForm::kReals) return known == DType::kFloat32;
  if (form.values == AnswerForm::kFlag) return known == DType::kBool || known == DType::kUInt8;
  return is_integer(known) && known != DType::kUInt64;
}

Result<FoundPart> part_from(const AnswerForm& form, std::uint8_t dtype, std::uint8_t rank,
                            ByteView body) {
  const std::string name = form.name;
  FoundPart part;
  part.form = &form;
  if (!takes(form, dtype))
    return bad_answer(name + " have the dtype " + count_text(dtype) + ", expected " +
                      (form.values == AnswerForm::kTexts   ? "255 (texts)"
                       : form.values == AnswerForm::kReals ? "0 (float32)"
                       : form.values == AnswerForm::kFlag  ? "12 (bool)"
                                                           : "that of a whole number"));
  if (rank != form.rank)
    return bad_answer(name + " have the rank " + count_text(rank) + ", expected " +
                      count_text(form.rank));
  ByteReader reader(body);
  for (std::size_t i = 0; i < rank; ++i) part.dims[i] = reader.u32();
  if (!reader.ok()) return bad_answer("the dimensions of " + name + " are cut off");
  if (form.last && part.dims[rank - 1] != form.last)
    return bad_answer(name + " have the last dimension " + count_text(part.dims[rank - 1]) +
                      ", expected " + count_text(form.last));
  part.values = reader.rest();
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < rank; ++i) count *= part.dims[i];
  if (form.values == AnswerForm::kTexts) {
    part.count = static_cast<std::size_t>(count);
    return part;
  }
  part.dtype = static_cast<DType>(dtype);
  const std::size_t width = size_of(part.dtype);
  if (count > part.values.size || count * width != part.values.size)
    return bad_answer(name + " have " + count_text(part.values.size) + " bytes of values, " +
                      count_text(count) + " values of " + edgeprobe::name(part.dtype) +
                      " need another " + "number");
  part.count = static_cast<std::size_t>(count);
  return part;
}

Result<std::vector<std::string>> texts_of(const FoundPart& part) {
  const std::string name = part.form->name;
  ByteReader reader(part.values);
  if (part.count > part.values.size / 4)
    return bad_answer(name + ": " + count_text(part.count) + " texts do not fit " +
                      count_text(part.values.size) + " bytes");
  std::vector<std::string> texts;
  texts.reserve(part.count);
  for (std::size_t i = 0; i < part.count; ++i) {
    const std::string_view text = reader.sized<std::uint32_t>().text();
    if (!reader.ok())
      return bad_answer("text " + count_text(i) + " of " + name + " is longer than the part");
    if (!is_utf8(text))
      return bad_answer("text " + count_text(i) + " of " + name +
                        " is not UTF-8; convert it before logging it");
    texts.emplace_back(text);
  }
  if (!reader.at_end()) return bad_answer(name + " have bytes after their last text");
  return texts;
}

template <class T, class Stored>
void widen(const FoundPart& part, std::vector<T>& out) {
  for (std::size_t i = 0; i < part.count; ++i)
    out[i] = static_cast<T>(load_little<Stored>(part.values.data + i * sizeof(Stored)));
}

template <class T>
std::vector<T> whole_of(const FoundPart& part) {
  std::vector<T> out(part.count);
  switch (part.dtype) {
    case DType::kInt8: widen<T, std::int8_t>(part, out); break;
    case DType::kUInt8:
    case DType::kBool: widen<T, std::uint8_t>(part, out); break;
    case DType::kInt16: widen<T, std::int16_t>(part, out); break;
    case DType::kUInt16: widen<T, std::uint16_t>(part, out); break;
    case DType::kInt32: widen<T, std::int32_t>(part, out); break;
    case DType::kUInt32: widen<T, std::uint32_t>(part, out); break;
    default: widen<T, std::int64_t>(part, out); break;
  }
  return out;
}

float real_at(const FoundPart& part, std::size_t index) {
  return load_little<float>(part.values.data + 4 * index);
}
std::vector<float> reals_of(const FoundPart& part) {
  std::vector<float> out(part.count);
  for (std::size_t i = 0; i < part.count; ++i) out[i] = real_at(part, i);
  return out;
}
template <std::size_t kWidth>
std::vector<std::array<float, kWidth>> rows_of(const FoundPart& part) {
  std::vector<std::array<float, kWidth>> out(part.dims[0]);
  for (std::size_t i = 0; i < part.count; ++i) out[i / kWidth][i % kWidth] = real_at(part, i);
  return out;
}

Status put_mask_part(const FoundPart& part, Answer& answer) {
  if (part.dtype == DType::kInt64 || part.dtype == DType::kUInt32)
    return bad_answer(std::string("mask has the dtype ") + edgeprobe::name(part.dtype) +
                      ", expected at most int32");
  answer.mask = Mask{part.dims[0], part.dims[1], whole_of<std::int32_t>(part)};
  return {};
}

Status put_alarm_part(const FoundPart& part, Answer& answer) {
  const auto value = std::to_integer<unsigned>(part.values.data[0]);
  if (value > 1) return bad_answer("alarm is " + count_text(value) + ", expected 0 or 1");
  answer.alarm = value == 1;
  return {};
}

Status put_part(AnswerPart kind, const FoundPart& part, Answer& answer) {
  switch (kind) {
    case AnswerPart::kLabels:
    case AnswerPart::kText: {
      EP_TRY(auto texts, texts_of(part));
      if (kind == AnswerPart::kLabels) answer.labels = std::move(texts);
      else answer.text = std::move(texts.front());
      return {};
    }
    case AnswerPart::kClasses: answer.classes = whole_of<std::int64_t>(part); return {};
    case AnswerPart::kScores: answer.scores = reals_of(part); return {};
    case AnswerPart::kBoxes: answer.boxes = rows_of<4>(part); return {};
    case AnswerPart::kMask: return put_mask_part(part, answer);
    case AnswerPart::kPoints: answer.points = rows_of<3>(part); return {};
    case AnswerPart::kVector: answer.vector = reals_of(part); return {};
    case AnswerPart::kScore: answer.score = real_at(part, 0); return {};
    case AnswerPart::kAlarm: return put_alarm_part(part, answer);
  }
  return {};
}

/// Labels, classes, boxes and scores describe the same items, so their counts must agree.
Status check_counts(const Answer& answer) {
  std::string first;
  std::size_t count = 0;
  Status done;
  const auto check = [&](const char* name, const auto& values) {
    if (!values || !done) return;
    if (first.empty()) {
      first = name;
      count = values->size();
    } else if (values->size() != count) {
      done = bad_answer(count_text(count) + " " + first + ", but " + count_text(values->size()) +
                        " " + name + "; give one for each");
    }
  };
  check("labels", answer.labels);
  check("classes", answer.classes);
  check("boxes", answer.boxes);
  check("scores", answer.scores);
  return done;
}

}  // namespace

Result<Answer> decode_answer(ByteView message) {
  ByteReader reader(message);
  const std::uint8_t version = reader.u8();
  if (!reader.ok())
    return bad_answer("its message is empty, expected the version in the first byte");
  if (version > kAnswerVersion)
    return Error{ErrorKind::kUnsupported, "an answer: its layout has version " +
                                              count_text(version) + ", this edgeprobe reads " +
                                              count_text(kAnswerVersion) + "; use a newer one"};
  if (version != kAnswerVersion) return bad_answer("its layout has version 0, expected 1");
  Answer answer;
  std::set<std::uint8_t> seen;
  for (std::size_t index = 0; !reader.at_end(); ++index) {
    const std::uint8_t kind = reader.u8(), dtype = reader.u8(), rank = reader.u8();
    (void)reader.u8();
    const std::uint32_t size = reader.u32();
    if (!reader.ok()) return bad_answer("part " + count_text(index) + " is cut off in its head");
    const std::size_t left = reader.rest().size;
    const ByteView body = reader.take(size);
    if (!reader.ok())
      return bad_answer("part " + count_text(index) + " says " + count_text(size) + " bytes, " +
                        count_text(left) + " are left");
    if (kind == 0 || kind > std::size(kAnswerForms)) continue;  // from a later version
    const AnswerForm& form = kAnswerForms[kind - 1];
    if (!seen.insert(kind).second) return bad_answer(std::string(form.name) + " come twice");
    EP_TRY(const auto part, part_from(form, dtype, rank, body));
    EP_CHECK(put_part(static_cast<AnswerPart>(kind), part, answer));
  }
  EP_CHECK(check_counts(answer));
  return answer;
}

}  // namespace edgeprobe::trace
