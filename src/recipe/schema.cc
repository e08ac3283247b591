// SPDX-License-Identifier: Apache-2.0
#include "recipe/schema.h"

#include "recipe/print.h"

namespace edgeprobe::recipe {

const char* type_name(Form form) {
  switch (form) {
    case Form::kWord: return "word";
    case Form::kWhole: return "whole";
    case Form::kReal: return "real";
    case Form::kReals: return "reals";
    case Form::kIds: return "wholes";
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
  // The printer leaves an argument out that is as usual; where it has a rule of its own, or always
  // prints, the parser may have one, too.
  const bool is_printed_by_value =
      field.member.get && !field.text && !field.is_shown && !field.is_always_shown;
  if (!is_printed_by_value || field.asked_for) return std::nullopt;
  std::string text = value_text(field, field.member.initial());
  if (text.empty() || text == "?") return std::nullopt;
  return text;
}

}  // namespace edgeprobe::recipe
