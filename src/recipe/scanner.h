// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/result.h"

/// Splits a recipe's text into steps and arguments; knows no step names.
namespace edgeprobe::recipe {

/// "bilinear" or "align=legacy"; views into the recipe's text.
struct Argument {
  std::string_view key;    ///< Empty for a positional argument.
  std::string_view value;  ///< Without surrounding blanks; lists keep their brackets.
  std::size_t at = 0;      ///< Offset of the value (of the key when there is one) in the text.
};

struct StepText {
  std::string_view text;  ///< The whole step, without surrounding blanks.
  std::string_view name;
  std::vector<Argument> arguments;
  std::size_t at = 0;
  int number = 1;  ///< Counted from 1.
};

struct RecipeText {
  std::vector<StepText> steps;
  std::string_view post;
};

Result<RecipeText> scan_recipe(std::string_view text);

/// "column 17", or "line 2, column 5" when the text has several lines; counted from 1, in bytes.
std::string place(std::string_view text, std::size_t at);

}  // namespace edgeprobe::recipe
