// SPDX-License-Identifier: Apache-2.0
#include "recipe/scanner.h"

#include <algorithm>

#include "core/text.h"
#include "recipe/limits.h"

namespace edgeprobe::recipe {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// A piece of the text with its position.
struct Piece {
  std::string_view text;
  std::size_t at = 0;

  Piece sub(std::size_t from, std::size_t to) const {
    return {text.substr(from, to - from), at + from};
  }
};

Piece trimmed(Piece piece) {
  const std::size_t begin = piece.text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {piece.text.substr(0, 0), piece.at};
  return piece.sub(begin, piece.text.find_last_not_of(kBlanks) + 1);
}

/// Splits at `separator` outside of brackets.
std::vector<Piece> split(Piece piece, char separator) {
  std::vector<Piece> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < piece.text.size(); ++i) {
    const char c = piece.text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != separator || depth > 0) continue;
    parts.push_back(piece.sub(begin, i));
    begin = i + 1;
  }
  parts.push_back(piece.sub(begin, piece.text.size()));
  return parts;
}

// An unclosed bracket would swallow the following steps, or the following arguments.
bool is_paired(std::string_view text) {
  int round = 0, square = 0;
  for (const char c : text) {
    round += (c == '(') - (c == ')');
    square += (c == '[') - (c == ']');
    if (round < 0 || square < 0) return false;
  }
  return round == 0 && square == 0;
}

Error error_at(std::string_view text, std::size_t at, int number, std::string_view what) {
  return {ErrorKind::kUsage, "recipe step " + std::to_string(number) + ", " + place(text, at) +
                                 ": " + std::string(what)};
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Result<Argument> scan_argument(std::string_view all, Piece piece, int number) {
  const Piece argument = trimmed(piece);
  if (argument.text.empty())
    return error_at(all, argument.at, number, "an argument is missing here");
  const std::size_t equals = argument.text.find('=');
  if (equals == std::string_view::npos) return Argument{{}, argument.text, argument.at};
  const Piece key = trimmed(argument.sub(0, equals));
  const Piece value = trimmed(argument.sub(equals + 1, argument.text.size()));
  if (!is_word(key.text) || value.text.empty()) {
    return error_at(all, argument.at, number,
                    "expected name=value, found \"" + sanitized(argument.text) + "\"");
  }
  return Argument{key.text, value.text, key.at};
}

Result<StepText> scan_step(std::string_view all, Piece piece, int number) {
  const Piece step = trimmed(piece);
  StepText out;
  out.text = step.text;
  out.at = step.at;
  out.number = number;
  if (step.text.empty()) return error_at(all, step.at, number, "a step is missing here");
  const std::size_t open = step.text.find('(');
  out.name = trimmed(step.sub(0, std::min(open, step.text.size()))).text;
  if (!is_word(out.name)) {
    return error_at(
        all, step.at, number,
        "expected a step like resize(224x224, bilinear), found \"" + sanitized(step.text) + "\"");
  }
  if (open == std::string_view::npos) return out;
  if (step.text.back() != ')') {
    return error_at(all, step.at + step.text.size(), number,
                    "a closing bracket \")\" is missing, or text follows it");
  }
  const Piece inside = step.sub(open + 1, step.text.size() - 1);
  if (!is_paired(inside.text))
    return error_at(all, step.at, number, "its brackets do not pair: ( and ), [ and ]");
  if (trimmed(inside).text.empty()) return out;
  for (const Piece& part : split(inside, ',')) {
    EP_TRY(auto argument, scan_argument(all, part, number));
    out.arguments.push_back(argument);
  }
  return out;
}

}  // namespace

std::string place(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_start =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string column = "column " + std::to_string(at - line_start + 1);
  if (text.find('\n') == std::string_view::npos) return column;
  return "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ", " +
         column;
}

Result<RecipeText> scan_recipe(std::string_view text) {
  if (text.size() > kMostRecipeText) {
    return Error{ErrorKind::kLimit, "the recipe has " + std::to_string(text.size()) +
                                        " bytes; at most " + std::to_string(kMostRecipeText) +
                                        " are read"};
  }
  RecipeText recipe;
  const std::size_t bars = text.find("||");
  if (bars != std::string_view::npos) recipe.post = trimmed({text.substr(bars + 2), bars + 2}).text;
  const Piece steps = trimmed({text.substr(0, bars), 0});
  if (steps.text.empty()) {
    return Error{
        ErrorKind::kUsage,
        "the recipe has no steps; a short one is: resize(224x224, bilinear) | scale(0..1)"};
  }
  for (const Piece& part : split(steps, '|')) {
    const int number = int(recipe.steps.size()) + 1;
    if (recipe.steps.size() == kMostSteps) {
      return Error{ErrorKind::kLimit, "the recipe has over " + std::to_string(kMostSteps) +
                                          " steps, the most that are run"};
    }
    EP_TRY(auto step, scan_step(text, part, number));
    recipe.steps.push_back(std::move(step));
  }
  return recipe;
}

}  // namespace edgeprobe::recipe
