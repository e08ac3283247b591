// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "postprocess/common_steps.h"
#include "postprocess/segmentation/recipe.h"
#include "postprocess/segmentation/words.h"

namespace edgeprobe::postprocess::segmentation {
namespace {

using preprocess::Arguments;

Status read_argmax(Arguments& arguments, Recipe& recipe) {
  recipe.decision = Decision::kArgmax;
  return arguments.assign("axis", kAxisWords, recipe.is_channels_first);
}

Status read_ids(Arguments&, Recipe& recipe) {
  recipe.decision = Decision::kIds;
  return {};
}

Status read_mask(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("the least score of a pixel that is shown");
  if (!argument) return std::move(argument).error();
  auto least = arguments.real(*argument, -1e9, 1e9);
  if (!least) return std::move(least).error();
  recipe.decision = Decision::kThreshold;
  recipe.threshold = *least;
  return {};
}

Status read_resize(Arguments& arguments, Recipe& recipe, bool is_of_scores) {
  if (recipe.resizing)
    return arguments.error(arguments.at(),
                           "resize is there twice: in front of argmax and behind it");
  Resizing resizing;
  resizing.is_of_scores = is_of_scores;
  resizing.is_bilinear = is_of_scores;
  auto size = arguments.require("picture, or rows and columns as 257x257");
  if (!size) return std::move(size).error();
  if (size->value != "picture") {
    auto sides = arguments.size(*size);
    if (!sides) return std::move(sides).error();
    resizing.to = Size{static_cast<double>(sides->width), static_cast<double>(sides->height)};
  }
  if (const auto kernel = arguments.next()) {
    auto word = arguments.word(*kernel, kKernelWords);
    if (!word) return std::move(word).error();
    resizing.is_bilinear = *word;
  }
  if (auto done = arguments.assign("align", preprocess::kAlignWords, resizing.align); !done)
    return done;
  recipe.resizing = resizing;
  return arguments.assign("frame", kFrameWords, recipe.frame);
}

Status read_scores_resize(Arguments& arguments, Recipe& recipe) {
  return read_resize(arguments, recipe, true);
}

Status read_classes_resize(Arguments& arguments, Recipe& recipe) {
  return read_resize(arguments, recipe, false);
}

Status read_colors(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("a file with the colour of one class a line: #rrggbb");
  if (!argument) return std::move(argument).error();
  recipe.colors = Palette{std::string(argument->value), {}};
  return {};
}

constexpr int kDecision = 4;
constexpr std::array<KnownStep<Recipe>, 11> kMaskSteps{{
    {"output", 0, Beside::kNothing, postprocess::read_output<Recipe>},
    {"dequantize", 1, Beside::kNothing, postprocess::read_dequantize<Recipe>},
    {"codes", 1, Beside::kNothing, postprocess::read_codes<Recipe>},
    {"softmax", 2, Beside::kItself, postprocess::read_activation<Recipe, Activation::kSoftmax>},
    {"sigmoid", 2, Beside::kItself, postprocess::read_activation<Recipe, Activation::kSigmoid>},
    {"resize", 3, Beside::kNothing, read_scores_resize},
    {"argmax", kDecision, Beside::kNothing, read_argmax},
    {"ids", kDecision, Beside::kNothing, read_ids},
    {"mask", kDecision, Beside::kNothing, read_mask},
    {"resize", 5, Beside::kNothing, read_classes_resize},
    {"colors", 6, Beside::kNothing, read_colors},
}};

Result<Recipe> read(std::string_view text) {
  Recipe recipe;
  auto steps = read_steps(text, kMaskSteps, recipe);
  if (!steps) return std::move(steps).error();
  if (std::none_of(steps->begin(), steps->end(),
                   [](const auto* one) { return one->place == kDecision; }))
    return Error{ErrorKind::kUsage, "classes are decided by argmax, ids or mask(…): none is there"};
  if (recipe.decision == Decision::kIds && recipe.resizing && recipe.resizing->is_of_scores)
    return Error{ErrorKind::kUsage, "ids are numbers of classes: resize stands behind them"};
  return recipe;
}

}  // namespace

bool is_segmentation(std::string_view text) {
  return has_step(text, {"argmax", "ids", "mask", "colors"});
}

Result<Recipe> parse(std::string_view text) {
  auto recipe = read(text);
  if (!recipe) return std::move(recipe).error().during("behind \"||\"");
  return recipe;
}

}  // namespace edgeprobe::postprocess::segmentation
