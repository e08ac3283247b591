// SPDX-License-Identifier: Apache-2.0
#include "recipe/schema.h"

#include "recipe/print.h"

namespace edgeprobe::recipe {
namespace {

/// False for a number that means "absent", such as a rate of 0.
bool is_in_range(const Field& field, const Value& value) {
  const auto* const whole = std::get_if<std::int64_t>(&value);
  const auto* const real = std::get_if<double>(&value);
  if (field.form == Form::kWord || (!whole && !real)) return true;
  const double number = whole ? static_cast<double>(*whole) : *real;
  return field.least <= number && number <= field.most;
}

}  // namespace

const char* type_name(Form form) {
  switch (form) {
    case Form::kWord: return "word";
    case Form::kWhole: return "integer";
    case Form::kReal: return "number";
    case Form::kReals: return "numbers";
    case Form::kIds: return "integers";
    case Form::kText:
    case Form::kOwn: break;
  }
  return "text";
}

bool is_written(const Field& field) { return field.is_spoken && !field.name.empty(); }

std::vector<std::string> words_of(const Field& field) {
  std::vector<std::string> words;
  if (field.form != Form::kWord) return words;
  for (const Word& word : field.words)
    if (!word.text.empty()) words.emplace_back(word.text);
  return words;
}

std::optional<std::string> usual_text(const Field& field) {
  // The printer omits default arguments; an argument with its own rule, or one that is always
  // printed, may also have its own parser default.
  const bool is_printed_by_value =
      field.member.get && !field.text && !field.is_shown && !field.is_always_shown;
  if (!is_printed_by_value || field.asked_for) return std::nullopt;
  const Value usual = field.member.initial();
  if (!is_in_range(field, usual)) return std::nullopt;
  std::string text = value_text(field, usual);
  if (text.empty() || text == "?" || text == "[]") return std::nullopt;
  return text;
}

}  // namespace edgeprobe::recipe
