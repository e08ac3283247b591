// SPDX-License-Identifier: Apache-2.0
#include "postprocess/recipe.h"
#include "postprocess/words.h"
#include "preprocess/recipe/recipe_arguments.h"

namespace edgeprobe::postprocess {
namespace {

using preprocess::Arguments;
using preprocess::StepText;

constexpr double kLargestScore = 1e9;

Status read_output(Arguments& arguments, Classification& recipe) {
  auto argument = arguments.require("the number of an output, counted from 0");
  if (!argument) return std::move(argument).error();
  auto index = arguments.whole(*argument, 0, 1000);
  if (!index) return std::move(index).error();
  recipe.output = static_cast<std::size_t>(*index);
  return {};
}

Status read_dequantize(Arguments& arguments, Classification& recipe) {
  bool ignored = false, flipped = false;
  if (auto done = arguments.assign("zero_point", kZeroPointWords, ignored); !done) return done;
  if (auto done = arguments.assign("sign", kFlippedWords, flipped); !done) return done;
  recipe.reading = flipped   ? ignored ? Reading::kFlippedNoZeroPoint : Reading::kFlippedSign
                   : ignored ? Reading::kNoZeroPoint
                             : Reading::kValues;
  return {};
}

Status read_codes(Arguments& arguments, Classification& recipe) {
  bool flipped = false;
  if (auto done = arguments.assign("sign", kFlippedWords, flipped); !done) return done;
  recipe.reading = flipped ? Reading::kFlippedCodes : Reading::kCodes;
  if (const auto of = arguments.take("of")) {
    auto most = arguments.whole(*of, 255, 255);
    if (!most) return std::move(most).error();
    if (flipped) return arguments.error(of->at, "codes are divided by 255 or flipped, not both");
    recipe.reading = Reading::kOf255;
  }
  return {};
}

Status read_activation(Arguments& arguments, const StepText& text, Classification& recipe) {
  if (recipe.activations.size() == kMostActivations)
    return arguments.error(text.at, "over " + std::to_string(kMostActivations) + " activations");
  Activation kind = Activation::kSoftmax;
  for (const auto& [word, meaning] : kActivationWords)
    if (word == text.name) kind = meaning;
  if (kind == Activation::kSoftmax)
    if (auto done = arguments.assign("axis", kAxisWords, kind); !done) return done;
  recipe.activations.push_back(kind);
  return {};
}

Status read_skip(Arguments& arguments, Classification& recipe) {
  auto argument = arguments.require("the number of leading classes to leave out");
  if (!argument) return std::move(argument).error();
  auto count = arguments.whole(*argument, 1, kMostClasses);
  if (!count) return std::move(count).error();
  recipe.skip = static_cast<std::size_t>(*count);
  return {};
}

Status read_sort(Arguments& arguments, Classification& recipe) {
  auto argument = arguments.require("descending, ascending or none");
  if (!argument) return std::move(argument).error();
  auto order = arguments.word(*argument, kOrderWords);
  if (!order) return std::move(order).error();
  recipe.order = *order;
  return {};
}

Status read_topk(Arguments& arguments, Classification& recipe) {
  auto argument = arguments.require("the number of classes to report");
  if (!argument) return std::move(argument).error();
  auto most = arguments.whole(*argument, 1, kMostClasses);
  if (!most) return std::move(most).error();
  recipe.most = static_cast<std::size_t>(*most);
  return {};
}

Status read_threshold(Arguments& arguments, Classification& recipe) {
  auto argument = arguments.require("the least score");
  if (!argument) return std::move(argument).error();
  auto least = arguments.real(*argument, -kLargestScore, kLargestScore);
  if (!least) return std::move(least).error();
  recipe.threshold = *least;
  return {};
}

Status read_percent(Arguments&, Classification& recipe) {
  recipe.percent = true;
  return {};
}

Status read_labels(Arguments& arguments, Classification& recipe) {
  auto argument = arguments.require("a file with one class name a line");
  if (!argument) return std::move(argument).error();
  Labels labels;
  labels.table.file = std::string(argument->value);
  if (const auto other = arguments.take("other"))
    labels.other = Table{std::string(other->value), {}};
  if (const auto shift = arguments.take("shift")) {
    auto by = arguments.whole(*shift, -kMostClasses, kMostClasses);
    if (!by) return std::move(by).error();
    labels.shift = *by;
  }
  const auto order = arguments.take("order");
  if (order) {
    auto word = arguments.word(*order, kTableWords);
    if (!word) return std::move(word).error();
    labels.order = *word;
    if (*word == TableOrder::kOther && !labels.other)
      return arguments.error(order->at, "order=other needs the file: other=FILE");
  }
  recipe.labels = std::move(labels);
  return {};
}

/// A step of the text: `place` holds the order that steps stand in, equal ones in any.
struct Known {
  std::string_view name;
  int place;
  Status (*read)(Arguments&, Classification&);  ///< Null: an activation.
};
constexpr int kActivationPlace = 2;
constexpr std::array<Known, 16> kSteps{{
    {"output", 0, read_output},
    {"dequantize", 1, read_dequantize},
    {"codes", 1, read_codes},
    {"softmax", kActivationPlace, nullptr},
    {"sigmoid", kActivationPlace, nullptr},
    {"log_softmax", kActivationPlace, nullptr},
    {"share", kActivationPlace, nullptr},
    {"of_largest", kActivationPlace, nullptr},
    {"stretch", kActivationPlace, nullptr},
    {"exp", kActivationPlace, nullptr},
    {"skip", 3, read_skip},
    {"sort", 4, read_sort},
    {"topk", 5, read_topk},
    {"threshold", 5, read_threshold},
    {"labels", 5, read_labels},
    {"percent", 6, read_percent},
}};
// What other tasks would need: a clear no beats "did you mean".
constexpr std::array<std::string_view, 13> kOtherTasks{
    "detections", "decode",    "nms",  "boxes", "argmax", "resize",   "colors",
    "mask",       "keypoints", "pool", "score", "points", "normalize"};

Error refused(const Arguments& arguments, const StepText& text) {
  for (const std::string_view word : kOtherTasks) {
    if (word != text.name) continue;
    Error refusal =
        arguments.error(text.at, std::string(word) +
                                     " is not supported in this version among the steps of a "
                                     "classifier");
    refusal.kind = ErrorKind::kUnsupported;
    return refusal;
  }
  return unknown_step(arguments, text, kSteps);
}

Result<Classification> read(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return Error{ErrorKind::kUsage, "no step; a short one is: dequantize | softmax | topk(5)"};
  auto scanned = recipe::scan_recipe(text);
  if (!scanned) return std::move(scanned).error();
  if (const std::size_t bars = text.find("||"); bars != std::string_view::npos)
    return Error{ErrorKind::kUsage, recipe::place(text, bars) + ": \"||\" stands once in a recipe"};
  Classification recipe;
  std::vector<std::string_view> seen;
  std::string_view before;
  int reached = 0;
  for (const StepText& step : scanned->steps) {
    Arguments arguments(text, step);
    const Known* known = nullptr;
    for (const Known& one : kSteps)
      if (one.name == step.name) known = &one;
    if (!known) return refused(arguments, step);
    if (known->place < reached)
      return arguments.error(step.at,
                             std::string(step.name) + " stands in front of " + std::string(before));
    if (known->read) {
      for (const std::string_view name : seen)
        if (name == step.name || (known->place == 1 && (name == "codes" || name == "dequantize")))
          return arguments.error(
              step.at, std::string(step.name) + (name == step.name ? " is there twice"
                                                                   : " and " + std::string(name) +
                                                                         " exclude each other"));
      seen.push_back(step.name);
    }
    reached = known->place;
    before = step.name;
    auto done =
        known->read ? known->read(arguments, recipe) : read_activation(arguments, step, recipe);
    if (!done) return std::move(done).error();
    if (auto taken = arguments.finish(); !taken) return std::move(taken).error();
  }
  return recipe;
}

}  // namespace

Result<Classification> parse(std::string_view text) {
  auto recipe = read(text);
  if (!recipe) return std::move(recipe).error().during("behind \"||\"");
  return recipe;
}

}  // namespace edgeprobe::postprocess
