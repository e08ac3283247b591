// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "preprocess/recipe/recipe_arguments.h"

/// Readers of the steps of a picture's recipe: the arguments of one step in, its value out. kUsage
/// names the step, the column and the nearest word that is known.
namespace edgeprobe::preprocess {

// Products of 64 steps with these bounds stay far from the end of float's range only for sane
// recipes; apply() checks each result. The bounds keep single steps meaningful.
inline constexpr double kLargestNumber = 1e9;
inline constexpr double kSmallestDivisor = 1e-9;

// Where pixels come from.
Result<Step> read_resize(Arguments& arguments);
Result<Step> read_letterbox(Arguments& arguments);
Result<Step> read_crop(Arguments& arguments);
Result<Step> read_shift(Arguments& arguments);

// Colours and tones.
Result<Step> read_gray(Arguments& arguments);
Result<Step> read_tone(Arguments& arguments);
Result<Step> read_recode(Arguments& arguments);
Result<Step> read_matrix(Arguments& arguments);

// Numbers, their types and their order in memory.
Result<Step> read_standardize(Arguments& arguments);
Result<Step> read_scale(Arguments& arguments);
Result<Step> read_normalize(Arguments& arguments);
Result<Step> read_cast(Arguments& arguments);
Result<Step> read_quantize(Arguments& arguments);
Result<Step> read_layout(Arguments& arguments);

/// Steps with one word in brackets.
template <class T, class U, std::size_t N>
Result<Step> read_word(Arguments& arguments, std::string_view what,
                       const std::array<Word<U>, N>& words) {
  auto argument = arguments.require(what);
  if (!argument) return std::move(argument).error();
  auto value = arguments.word(*argument, words);
  if (!value) return std::move(value).error();
  return Step{T{*value}};
}

}  // namespace edgeprobe::preprocess
