// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "postprocess/common_steps.h"
#include "postprocess/segmentation/recipe.h"
#include "postprocess/segmentation/words.h"

namespace edgeprobe::postprocess::segmentation {
namespace {

using preprocess::Arguments;
using preprocess::StepText;

Status read_sigmoid(Arguments&, Recipe& recipe) {
  recipe.activations.push_back(Activation::kSigmoid);
  return {};
}

Status read_softmax(Arguments&, Recipe& recipe) {
  recipe.activations.push_back(Activation::kSoftmax);
  return {};
}

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

/// A step of the text; steps stand in the order of `place`, and one of each place.
struct KnownMask {
  std::string_view name;
  int place;
  bool repeats;
  Status (*read)(Arguments&, Recipe&);
};
constexpr int kScoresResize = 3, kDecision = 4;
constexpr std::array<KnownMask, 11> kMaskSteps{{
    {"output", 0, false, postprocess::read_output<Recipe>},
    {"dequantize", 1, false, postprocess::read_dequantize<Recipe>},
    {"codes", 1, false, postprocess::read_codes<Recipe>},
    {"softmax", 2, true, read_softmax},
    {"sigmoid", 2, true, read_sigmoid},
    {"resize", kScoresResize, false, read_scores_resize},
    {"argmax", kDecision, false, read_argmax},
    {"ids", kDecision, false, read_ids},
    {"mask", kDecision, false, read_mask},
    {"resize", 5, false, read_classes_resize},
    {"colors", 6, false, read_colors},
}};

// A resize in front of the decision is one of scores, behind it one of classes.
const KnownMask* known_step(std::string_view name, int reached) {
  const KnownMask* found = nullptr;
  for (const KnownMask& one : kMaskSteps)
    if (one.name == name && (!found || reached >= kDecision)) found = &one;
  return found;
}

Result<Recipe> read_steps(std::string_view text) {
  auto scanned = preprocess::scan_recipe(text);
  if (!scanned) return std::move(scanned).error();
  Recipe recipe;
  int reached = -1;
  std::string_view before;
  for (const StepText& step : scanned->steps) {
    Arguments arguments(text, step);
    const KnownMask* const known = known_step(step.name, reached);
    if (!known) return unknown_step(arguments, step, kMaskSteps);
    if (known->place < reached)
      return arguments.error(step.at,
                             std::string(step.name) + " stands in front of " + std::string(before));
    if (known->place == reached && !known->repeats)
      return arguments.error(step.at, std::string(step.name) + " is there twice, or its like is");
    if (known->repeats && recipe.activations.size() == kMostActivations)
      return arguments.error(step.at, "over " + std::to_string(kMostActivations) + " activations");
    if (known->name == "resize" && recipe.resizing)
      return arguments.error(step.at, "resize is there twice: in front of argmax and behind it");
    reached = known->place;
    before = known->name;
    if (auto done = known->read(arguments, recipe); !done) return std::move(done).error();
    if (auto taken = arguments.finish(); !taken) return std::move(taken).error();
  }
  if (reached < kDecision)
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
  auto recipe = read_steps(text);
  if (!recipe) return std::move(recipe).error().during("behind \"||\"");
  return recipe;
}

}  // namespace edgeprobe::postprocess::segmentation
