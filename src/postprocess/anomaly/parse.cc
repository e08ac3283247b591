// SPDX-License-Identifier: Apache-2.0
#include "postprocess/anomaly/recipe.h"
#include "postprocess/anomaly/words.h"
#include "postprocess/common_steps.h"

namespace edgeprobe::postprocess::anomaly {
namespace {

using preprocess::Arguments;

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

constexpr std::array<KnownStep<Recipe>, 5> kScoreSteps{{
    {"output", 0, Beside::kNothing, postprocess::read_output<Recipe>},
    {"dequantize", 1, Beside::kNothing, postprocess::read_dequantize<Recipe>},
    {"codes", 1, Beside::kNothing, postprocess::read_codes<Recipe>},
    {"score", 2, Beside::kNothing, read_score},
    {"threshold", 3, Beside::kNothing, read_threshold},
}};

Result<Recipe> read(std::string_view text) {
  Recipe recipe;
  auto steps = read_steps(text, kScoreSteps, recipe);
  if (!steps) return std::move(steps).error();
  if (!has_step(*steps, "score"))
    return Error{ErrorKind::kUsage, "a score is made by score(…): it is not there"};
  return recipe;
}

}  // namespace

bool is_anomaly(std::string_view text) { return has_step(text, {"score"}); }

Result<Recipe> parse(std::string_view text) {
  auto recipe = read(text);
  if (!recipe) return std::move(recipe).error().during("behind \"||\"");
  return recipe;
}

}  // namespace edgeprobe::postprocess::anomaly
