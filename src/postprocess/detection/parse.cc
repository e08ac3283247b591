// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "postprocess/common_steps.h"
#include "postprocess/detection/recipe.h"
#include "postprocess/detection/words.h"

namespace edgeprobe::postprocess::detection {
namespace {

using preprocess::Arguments;

constexpr int kMostBoxes = 1'000'000, kMostLines = 1'000'000;
constexpr double kMostVariance = 1e3, kMostSide = 16384;

Status read_outputs(Arguments& arguments, Recipe& recipe) {
  const auto number = [&](std::string_view key) -> Result<std::optional<std::size_t>> {
    const auto argument = arguments.take(key);
    if (!argument) return std::optional<std::size_t>{};
    auto index = arguments.whole(*argument, 0, kMostTensors);
    if (!index) return std::move(index).error();
    return std::optional<std::size_t>(static_cast<std::size_t>(*index));
  };
  auto boxes = number("boxes"), scores = number("scores"), classes = number("classes"),
       count = number("count");
  for (const auto* one : {&boxes, &scores, &classes, &count})
    if (!*one) return one->error();
  recipe.outputs = {boxes->value_or(0), scores->value_or(1), *classes, *count};
  return {};
}

Status read_variance(Arguments& arguments, double& variance) {
  const auto argument = arguments.next();
  if (!argument) return {};
  auto value = arguments.real(*argument, 1e-6, kMostVariance);
  if (!value) return std::move(value).error();
  variance = *value;
  return {};
}

Status read_decode(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("ssd, offset or none");
  if (!argument) return std::move(argument).error();
  auto coder = arguments.word(*argument, kCoderWords);
  if (!coder) return std::move(coder).error();
  Decoding& decoding = recipe.decoding;
  decoding.coder = *coder;
  decoding.order = *coder == Coder::kBoxes ? CodeOrder::kXyxy : CodeOrder::kCxcywh;
  if (*coder != Coder::kBoxes) {
    auto source = arguments.require("ssd, ultraface, short_range or a .npy file of anchors");
    if (!source) return std::move(source).error();
    recipe.anchors.source = std::string(source->value);
    if (*coder == Coder::kOffset) {
      auto side = arguments.require("the side of the model's input in pixels");
      if (!side) return std::move(side).error();
      auto pixels = arguments.real(*side, 1, kMostSide);
      if (!pixels) return std::move(pixels).error();
      decoding.side = *pixels;
    }
    if (auto done = read_variance(arguments, decoding.centre_variance); !done) return done;
    decoding.size_variance = decoding.centre_variance;
    if (auto done = read_variance(arguments, decoding.size_variance); !done) return done;
  }
  const auto order = arguments.take("order");
  if (!order) return {};
  auto word = arguments.word(*order, kCodeOrderWords);
  if (!word) return std::move(word).error();
  if (*coder != Coder::kBoxes && is_of_corners(*word))
    return arguments.error(order->at, "codes of anchors are a centre and sides: order=cxcywh");
  decoding.order = *word;
  return {};
}

Status read_detections(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("the order of the numbers of a box: yxyx, xyxy");
  if (!argument) return std::move(argument).error();
  auto order = arguments.word(*argument, kCodeOrderWords);
  if (!order) return std::move(order).error();
  recipe.decoding.order = *order;
  if (!recipe.outputs.classes) recipe.outputs = {0, 2, 1, 3};
  recipe.suppression.rivals = Rivals::kNone;
  recipe.suppression.is_sorted = false;
  return {};
}

Status read_skip(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("the number of leading classes to leave out");
  if (!argument) return std::move(argument).error();
  auto count = arguments.whole(*argument, 1, kMostLines);
  if (!count) return std::move(count).error();
  recipe.skip = static_cast<std::size_t>(*count);
  return {};
}

Status read_best_class(Arguments&, Recipe& recipe) {
  recipe.best_class = true;
  return {};
}

Status read_threshold(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("the least score");
  if (!argument) return std::move(argument).error();
  auto least = arguments.real(*argument, -1e9, 1e9);
  if (!least) return std::move(least).error();
  recipe.threshold = *least;
  return {};
}

Status read_nms(Arguments& arguments, Recipe& recipe) {
  if (recipe.is_suppressed())
    return arguments.error(arguments.at(), "the model of detections(…) has suppressed already");
  auto argument = arguments.require("the overlap above which the lower score goes: 0.45");
  if (!argument) return std::move(argument).error();
  auto limit = arguments.real(*argument, 0, 1);
  if (!limit) return std::move(limit).error();
  recipe.suppression.limit = *limit;
  recipe.suppression.rivals = Rivals::kAllClasses;
  if (const auto which = arguments.next()) {
    auto rivals = arguments.word(*which, kRivalWords);
    if (!rivals) return std::move(rivals).error();
    recipe.suppression.rivals = *rivals;
  }
  return arguments.assign("of", kOverlapWords, recipe.suppression.of);
}

Status read_topk(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("the most boxes to report");
  if (!argument) return std::move(argument).error();
  auto most = arguments.whole(*argument, 1, kMostBoxes);
  if (!most) return std::move(most).error();
  recipe.suppression.most = static_cast<std::size_t>(*most);
  return {};
}

Status read_labels(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("a file with one class name a line");
  if (!argument) return std::move(argument).error();
  Labels labels;
  labels.table.file = std::string(argument->value);
  if (const auto shift = arguments.take("shift")) {
    auto by = arguments.whole(*shift, -kMostLines, kMostLines);
    if (!by) return std::move(by).error();
    labels.shift = *by;
  }
  recipe.labels = std::move(labels);
  return {};
}

Status read_boxes(Arguments& arguments, Recipe& recipe) {
  auto argument = arguments.require("what the app reports of a box: xyxy, xywh, …");
  if (!argument) return std::move(argument).error();
  auto report = arguments.word(*argument, kReportWords);
  if (!report) return std::move(report).error();
  recipe.report = *report;
  if (const auto scale = arguments.next()) {
    auto word = arguments.word(*scale, kScaleWords);
    if (!word) return std::move(word).error();
    recipe.placement.scale = *word;
  }
  if (const auto cut = arguments.next()) {
    auto word = arguments.word(*cut, kCutWords);
    if (!word) return std::move(word).error();
    recipe.placement.is_cut = *word;
  }
  return {};
}

Status read_percent(Arguments&, Recipe& recipe) {
  recipe.percent = true;
  return {};
}

constexpr int kBoxesPlace = 2;
constexpr std::array<KnownStep<Recipe>, 15> kBoxSteps{{
    {"outputs", 0, Beside::kNothing, read_outputs},
    {"dequantize", 1, Beside::kNothing, postprocess::read_dequantize<Recipe>},
    {"codes", 1, Beside::kNothing, postprocess::read_codes<Recipe>},
    {"decode", kBoxesPlace, Beside::kNothing, read_decode},
    {"detections", kBoxesPlace, Beside::kNothing, read_detections},
    {"sigmoid", 3, Beside::kItself, postprocess::read_activation<Recipe, Activation::kSigmoid>},
    {"softmax", 3, Beside::kItself, postprocess::read_activation<Recipe, Activation::kSoftmax>},
    {"skip", 4, Beside::kOthers, read_skip},
    {"best_class", 4, Beside::kOthers, read_best_class},
    {"threshold", 5, Beside::kNothing, read_threshold},
    {"nms", 6, Beside::kNothing, read_nms},
    {"topk", 7, Beside::kNothing, read_topk},
    {"labels", 8, Beside::kNothing, read_labels},
    {"boxes", 9, Beside::kOthers, read_boxes},
    {"percent", 9, Beside::kOthers, read_percent},
}};

Result<Recipe> read(std::string_view text) {
  Recipe recipe;
  recipe.suppression.rivals = Rivals::kNone;
  auto steps = read_steps(text, kBoxSteps, recipe);
  if (!steps) return std::move(steps).error();
  if (std::none_of(steps->begin(), steps->end(),
                   [](const auto* one) { return one->place == kBoxesPlace; }))
    return Error{ErrorKind::kUsage,
                 "boxes are made by decode(…) or detections(…): neither is there"};
  return recipe;
}

}  // namespace

bool is_detection(std::string_view text) {
  return has_step(text, {"decode", "detections", "nms", "boxes"});
}

Result<Recipe> parse(std::string_view text) {
  auto recipe = read(text);
  if (!recipe) return std::move(recipe).error().during("behind \"||\"");
  return recipe;
}

}  // namespace edgeprobe::postprocess::detection
