// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "postprocess/common_steps.h"
#include "postprocess/segmentation/recipe.h"
#include "preprocess/recipe/picture_words.h"

namespace edgeprobe::postprocess::segmentation {
namespace {

using recipe::Argument;
using recipe::Arguments;
using recipe::as;
using recipe::member;

template <Decision kWhich>
Status choose(const Arguments&, void* recipe) {
  as<Recipe>(recipe).decision = kWhich;
  return {};
}
template <Decision kWhich>
bool is_decided(const void* recipe) {
  return as<Recipe>(recipe).decision == kWhich;
}
constexpr const char* kOtherAxis = "classes first for classes last, or the other way round";
constexpr std::array kAxes{Word{"last", false}.planted(kOtherAxis),
                           Word{"first", true}.planted(kOtherAxis)};
constexpr std::array kArgmax{recipe::word("axis", member<&Recipe::is_channels_first>, kAxes)};
constexpr std::array kMask{
    recipe::real("least", member<&Recipe::threshold>, -kLargestScore, kLargestScore)
        .needed("the least score of a pixel that is shown")
        .planted(kThresholdSlips)
        .always()};

template <bool kIsOfScores>
Status begin_resizing(const Arguments& arguments, void* recipe) {
  auto& resizing = as<Recipe>(recipe).resizing;
  if (resizing)
    return arguments.error(arguments.at(),
                           "resize appears twice; scores that are resized to the model's input "
                           "first are resize(picture, bilinear, through=input)");
  resizing.emplace();
  resizing->is_of_scores = resizing->is_bilinear = kIsOfScores;
  return {};
}
template <bool kIsOfScores>
bool is_resized(const void* recipe) {
  const auto& resizing = as<Recipe>(recipe).resizing;
  return resizing && resizing->is_of_scores == kIsOfScores;
}
Status read_sides(Arguments& arguments, const Argument& given, void* recipe) {
  if (given.value == "picture") return {};
  EP_TRY(auto sides, arguments.size(given));
  as<Recipe>(recipe).resizing->to =
      Size{static_cast<double>(sides.width), static_cast<double>(sides.height)};
  return {};
}
std::string sides_text(const void* recipe) {
  const auto& to = as<Recipe>(recipe).resizing->to;
  return to ? std::to_string(static_cast<int>(to->height)) + "x" +
                  std::to_string(static_cast<int>(to->width))
            : "picture";
}
constexpr std::array kKernels{Word{"nearest", false}.planted("nearest for bilinear"),
                              Word{"bilinear", true}.planted("bilinear for nearest")};
constexpr std::array kFrames{
    Word{"stretched", detection::Scale::kStretched,
         "resizes the whole mask, as if the picture had been stretched", 0}
        .planted("bars not cut off"),
    Word{"letterbox", detection::Scale::kLetterbox,
         "cuts bars off right or below before it resizes the mask", 1}
        .planted("bars right or below cut off"),
    Word{"letterbox_centered", detection::Scale::kCentredLetterbox,
         "cuts bars off around the picture before it resizes the mask", 2}
        .planted("bars around cut off"),
    Word{"letterbox_whole", detection::Scale::kWholeLetterbox,
         "cuts bars of whole pixels off around the picture", 3},
};
constexpr std::array kThrough{
    Word{"cells", false, "cuts bars off in whole cells of the output", 0},
    Word{"input", true, "resizes scores to the model's input before it cuts bars off", 1},
};
constexpr std::array kResize{
    recipe::own("size", {}, read_sides, sides_text)
        .needed("picture, or rows and columns as 257x257"),
    recipe::word("kernel", member<&Recipe::resizing, &Resizing::is_bilinear>, kKernels)
        .positional()
        .always(),
    recipe::word("align", member<&Recipe::resizing, &Resizing::align>, preprocess::kAlignWords),
    recipe::word("frame", member<&Recipe::frame>, kFrames),
    recipe::word("through", member<&Recipe::resizing, &Resizing::is_through_input>, kThrough),
};

constexpr std::array kColorOrders{Word{"", true}.planted(
    "red and blue of the colours exchanged",
    [](const void* recipe) { return as<Recipe>(recipe).colors.has_value(); })};
constexpr std::array kColors{
    recipe::text("file", member<&Recipe::colors, &Palette::file>)
        .needed("a file with the colour of one class a line: #rrggbb"),
    recipe::word("order", member<&Recipe::is_bgr>, kColorOrders).unspoken(),
};

constexpr std::array kShifts{Word{"", 1}.planted("class numbers one too high")};
constexpr std::array kTurns{
    Word{"", Turn::kTransposed, "exchanges rows and columns of the mask", 0}.planted(
        "rows and columns exchanged"),
    Word{"", Turn::kLeftRight, "mirrors the mask left and right", 1}.planted("the mask mirrored"),
    Word{"", Turn::kUpsideDown, "turns the mask upside down", 2},
    Word{"", Turn::kHalf, "turns the mask by 180 degrees", 3},
    Word{"", Turn::kQuarter, "turns the mask by 90 degrees counterclockwise", 4},
    Word{"", Turn::kThreeQuarters, "turns the mask by 90 degrees clockwise", 5},
    Word{"", Turn::kAntiTransposed,
         "exchanges rows and columns of the mask and turns it by 180 degrees", 6},
};
constexpr std::array kCells{
    kOutputFields<Recipe>[0],
    recipe::word("turn", member<&Recipe::turn>, kTurns).unspoken(),
    recipe::word("shift", member<&Recipe::shift>, kShifts).unspoken(),
};

constexpr int kDecision = 4;
constexpr std::array kMaskSteps{
    recipe::step("output", 0, kCells),
    kDequantizeStep<Recipe>,
    kCodesStep<Recipe>,
    activation_step<Recipe, Activation::kSoftmax>("softmax", 2, true),
    activation_step<Recipe, Activation::kSigmoid>("sigmoid", 2, false),
    recipe::step("resize", 3, kResize).begun_by(begin_resizing<true>).there_if(is_resized<true>),
    recipe::step("argmax", kDecision, kArgmax)
        .of_this_kind()
        .begun_by(choose<Decision::kArgmax>)
        .there_if(is_decided<Decision::kArgmax>),
    recipe::step("ids", kDecision)
        .of_this_kind()
        .begun_by(choose<Decision::kIds>)
        .there_if(is_decided<Decision::kIds>),
    recipe::step("mask", kDecision, kMask)
        .of_this_kind()
        .begun_by(choose<Decision::kThreshold>)
        .there_if(is_decided<Decision::kThreshold>),
    recipe::step("resize", 5, kResize).begun_by(begin_resizing<false>).there_if(is_resized<false>),
    recipe::step("colors", 6, kColors).of_this_kind(),
};

Result<Recipe> read_recipe(std::string_view text) {
  Recipe recipe;
  EP_TRY(auto steps_read, recipe::read_steps(text, kMaskSteps, &recipe));
  if (std::none_of(steps_read.begin(), steps_read.end(),
                   [](const recipe::Step* one) { return one->place == kDecision; }))
    return Error{ErrorKind::kUsage, "classes are decided by argmax, ids or mask(…): none is there"};
  if (recipe.decision == Decision::kIds && recipe.resizing && recipe.resizing->is_of_scores)
    return Error{ErrorKind::kUsage, "ids are numbers of classes: resize stands behind them"};
  if (recipe.resizing && recipe.resizing->is_through_input && !recipe.resizing->is_of_scores)
    return Error{ErrorKind::kUsage,
                 "through=input is for scores: resize stands in front of argmax"};
  return recipe;
}

}  // namespace

recipe::Steps steps() { return kMaskSteps; }

bool is_segmentation(std::string_view text) { return recipe::is_of_kind(text, kMaskSteps); }

Result<Recipe> parse(std::string_view text) { return read_behind_bars(text, read_recipe); }

std::string to_text(const Recipe& recipe) { return recipe::steps_text(kMaskSteps, &recipe); }

}  // namespace edgeprobe::postprocess::segmentation
