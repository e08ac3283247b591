// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "postprocess/recipe.h"
#include "postprocess/words.h"
#include "recipe/field.h"
#include "recipe/print.h"
#include "recipe/read.h"

/// Rows shared by recipes after the model: steps that read an output.
namespace edgeprobe::postprocess {

/// Limit for the outputs or inputs of a model.
inline constexpr int kMostTensors = 1000;
inline constexpr int kMostLines = 1'000'000;
inline constexpr double kLargestScore = 1e9;

/// output(N): `output`, counted from 0.
template <class Recipe>
inline constexpr std::array kOutputFields{
    recipe::whole("output", recipe::member<&Recipe::output>, 0, kMostTensors)
        .needed("the number of an output, counted from 0")
        .always()};

template <class Recipe>
Status read_as_values(const recipe::Arguments&, void* recipe) {
  recipe::as<Recipe>(recipe).reading = Reading::kValues;
  return {};
}
template <class Recipe>
Status read_as_codes(const recipe::Arguments&, void* recipe) {
  recipe::as<Recipe>(recipe).reading = Reading::kCodes;
  return {};
}
template <class Recipe>
bool reads_values(const void* recipe) {
  return recipe::as<Recipe>(recipe).reading != Reading::kCodes;
}
template <class Recipe>
bool reads_codes(const void* recipe) {
  return !reads_values<Recipe>(recipe);
}
template <class Recipe>
inline constexpr recipe::Step kDequantizeStep =
    recipe::step("dequantize", 1).begun_by(read_as_values<Recipe>).there_if(reads_values<Recipe>);
template <class Recipe>
inline constexpr recipe::Step kCodesStep =
    recipe::step("codes", 1).begun_by(read_as_codes<Recipe>).there_if(reads_codes<Recipe>);

/// softmax, sigmoid, …: adds an activation of the scores.
template <class Recipe, Activation kKind>
Status activate(const recipe::Arguments& arguments, void* recipe) {
  auto& activations = recipe::as<Recipe>(recipe).activations;
  if (activations.size() == kMostActivations)
    return arguments.error(arguments.at(),
                           "over " + std::to_string(kMostActivations) + " activations");
  activations.push_back(kKind);
  return {};
}
/// All of them, in order.
template <class Recipe>
std::string activations_text(const void* recipe) {
  std::string text;
  for (const Activation kind : recipe::as<Recipe>(recipe).activations)
    text += (text.empty() ? "" : " | ") + (kind == Activation::kBatchSoftmax
                                               ? "softmax(axis=batch)"
                                               : std::string(word_of(kActivationWords, kind)));
  return text;
}
/// An activation's row: the first one in a table prints all of them.
template <class Recipe, Activation kKind>
constexpr recipe::Step activation_step(std::string_view name, int place, bool is_first) {
  return recipe::step(name, place)
      .repeated()
      .begun_by(activate<Recipe, kKind>)
      .there_if(is_first ? recipe::always : recipe::never)
      .written_as(activations_text<Recipe>);
}

/// labels(FILE): names of classes or points.
template <class Recipe>
constexpr recipe::Field label_column() {
  return recipe::text("column", recipe::member<&Recipe::labels, &Labels::table, &Table::column>);
}
template <class Recipe>
constexpr recipe::Field label_file(const char* what) {
  return recipe::text("file", recipe::member<&Recipe::labels, &Labels::table, &Table::file>)
      .needed(what)
      .always();
}
inline constexpr std::array kShiftSlips{
    recipe::Slip{recipe::Slip::To::kMore, "labels one line too far"},
    recipe::Slip{recipe::Slip::To::kLess, "labels one line too early"}};
template <class Recipe>
constexpr recipe::Field label_shift() {
  return recipe::whole("shift", recipe::member<&Recipe::labels, &Labels::shift>, -kMostLines,
                       kMostLines)
      .planted(kShiftSlips);
}
/// For optional thresholds.
inline constexpr recipe::Slip kHalfThreshold{recipe::Slip::To::kHalf, "half the threshold"};
inline constexpr recipe::Slip kNoThreshold{recipe::Slip::To::kNothing, "no threshold"};
inline constexpr std::array kThresholdSlips{kHalfThreshold};

/// Calls `read` on a text; the error states that it concerns the steps after the bars.
template <class Recipe>
Result<Recipe> read_behind_bars(std::string_view text, Result<Recipe> (*read)(std::string_view)) {
  auto recipe = read(text);
  if (!recipe) return std::move(recipe).error().during("behind \"||\"");
  return recipe;
}

}  // namespace edgeprobe::postprocess
