// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "postprocess/recipe.h"
#include "preprocess/recipe/recipe_arguments.h"

/// What the parsers of all recipes behind the model share: the walk over the steps of a text, and
/// steps that read an output.
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

/// softmax, sigmoid: one more activation of the scores.
template <class Recipe, Activation kind>
Status read_activation(preprocess::Arguments& arguments, Recipe& recipe) {
  if (recipe.activations.size() == kMostActivations)
    return arguments.error(arguments.at(),
                           "over " + std::to_string(kMostActivations) + " activations");
  recipe.activations.push_back(kind);
  return {};
}

/// What may stand beside a step, at the same place of a recipe.
enum class Beside { kNothing, kOthers, kItself };

/// A step of a text. Steps stand in the order of `place`.
template <class Recipe>
struct KnownStep {
  std::string_view name;
  int place;
  Beside beside;
  Status (*read)(preprocess::Arguments&, Recipe&);
};

/// Reads the steps of a text into `recipe`, and gives those of the table that are there, in order.
/// Of two steps with one name the first is meant until its place is passed.
template <class Recipe, std::size_t N>
Result<std::vector<const KnownStep<Recipe>*>> read_steps(
    std::string_view text, const std::array<KnownStep<Recipe>, N>& table, Recipe& recipe) {
  auto scanned = recipe::scan_recipe(text);
  if (!scanned) return std::move(scanned).error();
  std::vector<const KnownStep<Recipe>*> seen;
  for (const preprocess::StepText& step : scanned->steps) {
    preprocess::Arguments arguments(text, step);
    const KnownStep<Recipe>* known = nullptr;
    for (const KnownStep<Recipe>& one : table)
      if (one.name == step.name && (!known || (!seen.empty() && seen.back()->place > known->place)))
        known = &one;
    if (!known) return unknown_step(arguments, step, table);
    for (const KnownStep<Recipe>* const other : seen) {
      if (other == known && known->beside != Beside::kItself)
        return arguments.error(step.at, std::string(step.name) + " is there twice");
      if (other != known && other->place == known->place && known->beside == Beside::kNothing)
        return arguments.error(step.at, std::string(other->name) + " and " +
                                            std::string(step.name) + " exclude each other");
    }
    if (!seen.empty() && seen.back()->place > known->place)
      return arguments.error(step.at, std::string(step.name) + " stands in front of " +
                                          std::string(seen.back()->name));
    if (auto done = known->read(arguments, recipe); !done) return std::move(done).error();
    if (auto taken = arguments.finish(); !taken) return std::move(taken).error();
    seen.push_back(known);
  }
  return seen;
}

/// Whether one of them has this name.
template <class Recipe>
bool has_step(const std::vector<const KnownStep<Recipe>*>& steps, std::string_view name) {
  return std::any_of(steps.begin(), steps.end(),
                     [name](const auto* one) { return one->name == name; });
}

/// Whether a text that can be read has a step of one of these names.
inline bool has_step(std::string_view text, std::initializer_list<std::string_view> names) {
  const auto scanned = recipe::scan_recipe(text);
  return scanned &&
         std::any_of(scanned->steps.begin(), scanned->steps.end(), [&](const auto& step) {
           return std::find(names.begin(), names.end(), step.name) != names.end();
         });
}

}  // namespace edgeprobe::postprocess
