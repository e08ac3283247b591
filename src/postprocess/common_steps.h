// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "preprocess/recipe/recipe_arguments.h"
#include "preprocess/recipe/recipe_scanner.h"

/// What the parsers of all recipes behind the model share: steps that read an output, and their
/// tables.
namespace edgeprobe::postprocess {

/// Of the outputs or inputs of a model.
inline constexpr int kMostTensors = 1000;

/// output(N): `recipe.output`, counted from 0.
template <class Recipe>
Status read_output(preprocess::Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("the number of an output, counted from 0");
  if (!argument) return std::move(argument).error();
  auto index = arguments.whole(*argument, 0, kMostTensors);
  if (!index) return std::move(index).error();
  recipe.output = static_cast<std::size_t>(*index);
  return {};
}

/// dequantize: `recipe.reading` gives real values.
template <class Recipe>
Status read_dequantize(preprocess::Arguments&, Recipe& recipe) {
  recipe.reading = decltype(recipe.reading)::kValues;
  return {};
}

/// codes: `recipe.reading` gives the integers as they are.
template <class Recipe>
Status read_codes(preprocess::Arguments&, Recipe& recipe) {
  recipe.reading = decltype(recipe.reading)::kCodes;
  return {};
}

/// Whether a text that can be read has a step of one of these names.
inline bool has_step(std::string_view text, std::initializer_list<std::string_view> names) {
  const auto scanned = preprocess::scan_recipe(text);
  return scanned &&
         std::any_of(scanned->steps.begin(), scanned->steps.end(), [&](const auto& step) {
           return std::find(names.begin(), names.end(), step.name) != names.end();
         });
}

}  // namespace edgeprobe::postprocess
