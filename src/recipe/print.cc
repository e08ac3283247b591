// SPDX-License-Identifier: Apache-2.0
#include "recipe/print.h"

#include <array>
#include <charconv>
#include <cmath>

#include "core/text.h"
#include "recipe/read.h"

namespace edgeprobe::recipe {
namespace {

std::string ids_text(const std::vector<std::int64_t>& ids) {
  std::string out;
  for (const std::int64_t id : ids) out += (out.empty() ? "" : ", ") + std::to_string(id);
  return "[" + out + "]";
}

/// An argument as written in a sentence.
std::string spoken(const Field& field, const void* recipe) {
  if (field.text) return field.text(recipe);
  const Value value = field.member.get(recipe);
  if (const auto* const real = std::get_if<double>(&value)) return number(*real, field.digits);
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) {
    const Word* const word = find_word(field.words, static_cast<int>(*whole));
    if (word && word->meaning) return word->meaning;
  }
  return field_text(field, recipe);
}

/// Replaces each {name}.
std::string filled(const Step& step, std::string_view text, const void* recipe) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (const Field* const field = find_field(step, text.substr(open + 1, close - open - 1)))
      out += spoken(*field, recipe);
    text.remove_prefix(close + 1);
  }
  return out;
}

/// True if its member exists and differs from a default recipe.
bool is_changed(const Field& field, const void* recipe) {
  if (!field.member.get) return false;
  const Value value = field.member.get(recipe);
  return !std::holds_alternative<std::monostate>(value) && value != field.member.initial();
}

bool is_there(const Step& step, const void* recipe) {
  if (step.is_there) return step.is_there(recipe);
  for (const Field& field : step.fields)
    if (field.is_spoken && (field.is_shown ? field.is_shown(recipe) : is_changed(field, recipe)))
      return true;
  return false;
}

}  // namespace

std::string exact_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string list_text(const std::vector<double>& values) {
  if (values.size() == 1) return exact_text(values.front());
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : ", ") + exact_text(value);
  return "[" + out + "]";
}

std::string factor_text(double factor) {
  const double parts = std::round(1 / factor);
  return parts > 1 && parts < 1e9 && 1 / parts == factor ? "1/" + exact_text(parts)
                                                         : exact_text(factor);
}

std::string value_text(const Field& field, const Value& value) {
  if (const auto* const whole = std::get_if<std::int64_t>(&value))
    return field.form == Form::kWord ? std::string(word_of(field.words, *whole))
                                     : std::to_string(*whole);
  if (const auto* const real = std::get_if<double>(&value)) return exact_text(*real);
  if (const auto* const text = std::get_if<std::string>(&value)) return *text;
  if (const auto* const list = std::get_if<std::vector<double>>(&value)) return list_text(*list);
  if (const auto* const ids = std::get_if<std::vector<std::int64_t>>(&value)) return ids_text(*ids);
  return "";
}

std::string field_text(const Field& field, const void* recipe) {
  return field.text ? field.text(recipe) : value_text(field, field.member.get(recipe));
}

bool is_shown(const Field& field, const void* recipe) {
  if (!field.is_spoken || (field.applies && !field.applies(recipe))) return false;
  if (field.is_shown) return field.is_shown(recipe);
  return field.is_always_shown || !field.member.get || is_changed(field, recipe);
}

std::string written(std::string_view name, const std::vector<std::string>& arguments) {
  std::string inside;
  for (const std::string& argument : arguments) inside += (inside.empty() ? "" : ", ") + argument;
  return inside.empty() ? std::string(name) : std::string(name) + "(" + inside + ")";
}

std::string step_text(const Step& step, const void* recipe) {
  if (step.text) return step.text(recipe);
  std::vector<std::string> arguments;
  for (const bool last : {false, true})
    for (const Field& field : step.fields) {
      if (field.is_shown_last != last || !is_shown(field, recipe)) continue;
      const std::string text = field_text(field, recipe);
      if (text.empty()) continue;
      arguments.push_back(field.is_named ? std::string(field.name) + "=" + text : text);
    }
  return written(step.name, arguments);
}

std::string steps_text(Steps steps, const void* recipe) {
  std::string out;
  for (const Step& step : steps) {
    if (!is_there(step, recipe)) continue;
    const std::string text = step_text(step, recipe);
    if (!text.empty()) out += (out.empty() ? "" : " | ") + text;
  }
  return out;
}

std::string sentence(const Step& step, const void* recipe) {
  if (step.meaning) return step.meaning(recipe);
  std::string_view text = step.says ? step.says : "";
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('[');
    out += filled(step, text.substr(0, open), recipe);
    if (open == std::string_view::npos) break;
    const std::size_t bar = text.find('|', open), close = text.find(']', open);
    const Field* const field = find_field(step, text.substr(open + 1, bar - open - 1));
    if (field && is_shown(*field, recipe))
      out += filled(step, text.substr(bar + 1, close - bar - 1), recipe);
    text.remove_prefix(close + 1);
  }
  return out;
}

std::vector<Spelled> spelled(Steps steps, const void* recipe) {
  std::vector<Spelled> out;
  for (const Step& step : steps)
    if (is_there(step, recipe)) out.push_back({step_text(step, recipe), sentence(step, recipe)});
  return out;
}

}  // namespace edgeprobe::recipe
