// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "postprocess/common_steps.h"
#include "postprocess/detection/words.h"
#include "postprocess/pose/recipe.h"

namespace edgeprobe::postprocess::pose {
namespace {

using preprocess::Arguments;

constexpr std::size_t kMostNumbers = 16;
constexpr std::array kUnitWords{Word<bool>{"shares", false}, Word<bool>{"model_pixels", true}};

Status read_keypoints(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("the numbers of one point: yxs, xys, xy, xy_s");
  if (!argument) return std::move(argument).error();
  const std::string_view letters = argument->value;
  const auto count = [letters](char c) { return std::count(letters.begin(), letters.end(), c); };
  if (count('x') != 1 || count('y') != 1 || count('s') > 1 || letters.size() > kMostNumbers ||
      letters.find_first_not_of("xys_") != std::string_view::npos)
    return arguments.error(argument->at,
                           "a point is x and y once, s (its score) at most once, and _ for each "
                           "number that is not read: yxs, xys, xy, xy_s");
  recipe.numbers = std::string(letters);
  const auto unit = arguments.next();
  if (!unit) return {};
  auto word = arguments.word(*unit, kUnitWords);
  if (!word) return std::move(word).error();
  recipe.are_model_pixels = *word;
  return {};
}

Status read_threshold(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("the least score of a point that is shown");
  if (!argument) return std::move(argument).error();
  auto least = arguments.real(*argument, -1e9, 1e9);
  if (!least) return std::move(least).error();
  recipe.threshold = *least;
  return {};
}

Status read_labels(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("a file with the name of one point a line");
  if (!argument) return std::move(argument).error();
  Labels labels;
  labels.table.file = std::string(argument->value);
  recipe.labels = std::move(labels);
  return {};
}

Status read_points(Arguments& arguments, Recipe& recipe) {
  if (const auto scale = arguments.next()) {
    auto word = arguments.word(*scale, detection::kScaleWords);
    if (!word) return std::move(word).error();
    recipe.placement.scale = *word;
  }
  if (const auto cut = arguments.next()) {
    auto word = arguments.word(*cut, detection::kCutWords);
    if (!word) return std::move(word).error();
    recipe.placement.is_cut = *word;
  }
  return {};
}

constexpr std::array<KnownStep<Recipe>, 8> kPointSteps{{
    {"output", 0, Beside::kNothing, postprocess::read_output<Recipe>},
    {"dequantize", 1, Beside::kNothing, postprocess::read_dequantize<Recipe>},
    {"codes", 1, Beside::kNothing, postprocess::read_codes<Recipe>},
    {"keypoints", 2, Beside::kNothing, read_keypoints},
    {"sigmoid", 3, Beside::kItself, postprocess::read_activation<Recipe, Activation::kSigmoid>},
    {"threshold", 4, Beside::kNothing, read_threshold},
    {"labels", 5, Beside::kNothing, read_labels},
    {"points", 6, Beside::kNothing, read_points},
}};

Result<Recipe> read(std::string_view text) {
  Recipe recipe;
  auto steps = read_steps(text, kPointSteps, recipe);
  if (!steps) return std::move(steps).error();
  if (!has_step(*steps, "keypoints"))
    return Error{ErrorKind::kUsage, "points are made by keypoints(yxs): it is not there"};
  if (recipe.numbers.find('s') == std::string::npos &&
      (recipe.threshold || !recipe.activations.empty()))
    return Error{ErrorKind::kUsage, "points of keypoints(" + recipe.numbers +
                                        ") have no score: no threshold, no activation"};
  return recipe;
}

}  // namespace

bool is_pose(std::string_view text) { return has_step(text, {"keypoints", "points"}); }

Result<Recipe> parse(std::string_view text) {
  auto recipe = read(text);
  if (!recipe) return std::move(recipe).error().during("behind \"||\"");
  return recipe;
}

}  // namespace edgeprobe::postprocess::pose
