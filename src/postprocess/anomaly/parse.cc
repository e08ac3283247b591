// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "postprocess/anomaly/recipe.h"
#include "postprocess/anomaly/words.h"
#include "postprocess/common_steps.h"

namespace edgeprobe::postprocess::anomaly {
namespace {

using preprocess::Arguments;
using preprocess::StepText;

constexpr double kLargestScore = 1e30;

Status read_score(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("mse, mae, rmse, sse, sae, l2, max_square, … or output");
  if (!argument) return std::move(argument).error();
  auto measure = arguments.word(*argument, kMeasureWords);
  if (!measure) return std::move(measure).error();
  recipe.measure = *measure;
  if (const auto input = arguments.take("input")) {
    auto index = arguments.whole(*input, 0, kMostTensors);
    if (!index) return std::move(index).error();
    if (*measure == Measure::kOutput)
      return arguments.error(input->at, "score(output) reads no input");
    recipe.input = static_cast<std::size_t>(*index);
  }
  return arguments.assign("windows", kWindowWords, recipe.windows);
}

Status read_threshold(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("the least score of an alarm");
  if (!argument) return std::move(argument).error();
  auto least = arguments.real(*argument, -kLargestScore, kLargestScore);
  if (!least) return std::move(least).error();
  recipe.threshold = *least;
  return arguments.assign("alarm", kAlarmWords, recipe.is_inverted);
}

/// A step of the text; steps stand in the order of `place`, one of each.
struct Known {
  std::string_view name;
  int place;
  Status (*read)(Arguments&, Recipe&);
};
constexpr std::array<Known, 5> kSteps{{
    {"output", 0, postprocess::read_output<Recipe>},
    {"dequantize", 1, postprocess::read_dequantize<Recipe>},
    {"codes", 1, postprocess::read_codes<Recipe>},
    {"score", 2, read_score},
    {"threshold", 3, read_threshold},
}};

Result<Recipe> read_steps(std::string_view text) {
  auto scanned = preprocess::scan_recipe(text);
  if (!scanned) return std::move(scanned).error();
  Recipe recipe;
  const Known* before = nullptr;
  bool has_score = false;
  for (const StepText& step : scanned->steps) {
    Arguments arguments(text, step);
    const auto known = std::find_if(kSteps.begin(), kSteps.end(),
                                    [&](const Known& one) { return one.name == step.name; });
    if (known == kSteps.end()) return unknown_step(arguments, step, kSteps);
    if (before && before->place == known->place)
      return arguments.error(step.at, before->name == known->name
                                          ? std::string(step.name) + " is there twice"
                                          : "dequantize and codes exclude each other");
    if (before && before->place > known->place)
      return arguments.error(
          step.at, std::string(step.name) + " stands in front of " + std::string(before->name));
    if (auto done = known->read(arguments, recipe); !done) return std::move(done).error();
    if (auto taken = arguments.finish(); !taken) return std::move(taken).error();
    has_score = has_score || known->name == "score";
    before = &*known;
  }
  if (!has_score) return Error{ErrorKind::kUsage, "a score is made by score(…): it is not there"};
  return recipe;
}

}  // namespace

bool is_anomaly(std::string_view text) { return has_step(text, {"score"}); }

Result<Recipe> parse(std::string_view text) {
  auto recipe = read_steps(text);
  if (!recipe) return std::move(recipe).error().during("behind \"||\"");
  return recipe;
}

}  // namespace edgeprobe::postprocess::anomaly
