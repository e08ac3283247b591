// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "postprocess/common_steps.h"
#include "postprocess/detection/recipe.h"
#include "postprocess/detection/words.h"
#include "recipe/limits.h"

namespace edgeprobe::postprocess::detection {
namespace {

using recipe::Argument;
using recipe::Arguments;
using recipe::as;
using recipe::member;
using recipe::step;

constexpr int kMostBoxes = 1'000'000;
constexpr double kLeastVariance = 1e-6, kMostVariance = 1e3;

constexpr recipe::Field output_number(std::string_view name, recipe::Member number) {
  return recipe::whole(name, number, 0, kMostTensors);
}
constexpr std::array kOutputs{
    output_number("boxes", member<&Recipe::outputs, &Outputs::boxes>).always(),
    output_number("scores", member<&Recipe::outputs, &Outputs::scores>).always(),
    output_number("classes", member<&Recipe::outputs, &Outputs::classes>),
    output_number("count", member<&Recipe::outputs, &Outputs::count>),
};

constexpr std::array kCoders{Word{"none", Coder::kBoxes}, Word{"ssd", Coder::kSsd},
                             Word{"linear", Coder::kLinear}, Word{"offset", Coder::kOffset}};
constexpr std::array kOrders{
    Word{"xyxy", CodeOrder::kXyxy},     Word{"yxyx", CodeOrder::kYxyx},
    Word{"xxyy", CodeOrder::kXxyy},     Word{"cxcywh", CodeOrder::kCxcywh},
    Word{"cycxhw", CodeOrder::kCycxhw}, Word{"whcxcy", CodeOrder::kWhcxcy},
    Word{"cxcyhw", CodeOrder::kCxcyhw},
};
bool has_anchors(const void* recipe) { return as<Recipe>(recipe).decoding.coder != Coder::kBoxes; }
bool is_offset(const void* recipe) { return as<Recipe>(recipe).decoding.coder == Coder::kOffset; }
Status choose_order(const Arguments&, const Argument*, void* recipe) {
  as<Recipe>(recipe).decoding.order = has_anchors(recipe) ? CodeOrder::kCxcywh : CodeOrder::kXyxy;
  return {};
}
Status share_variance(const Arguments&, const Argument*, void* recipe) {
  Decoding& decoding = as<Recipe>(recipe).decoding;
  if (has_anchors(recipe)) decoding.size_variance = decoding.centre_variance;
  return {};
}
Status check_order(const Arguments& arguments, const Argument* given, void* recipe) {
  if (!given || !has_anchors(recipe) || !is_of_corners(as<Recipe>(recipe).decoding.order))
    return {};
  return arguments.error(given->at, "codes of anchors are a centre and sides: order=cxcywh");
}
constexpr std::array kDecode{
    recipe::word("coder", member<&Recipe::decoding, &Decoding::coder>, kCoders)
        .needed("ssd, offset or none")
        .always()
        .and_then(choose_order),
    recipe::text("anchors", member<&Recipe::anchors, &Anchors::source>)
        .needed("ssd, ultraface, short_range or a .npy file of anchors")
        .only_if(has_anchors)
        .always(),
    recipe::real("side", member<&Recipe::decoding, &Decoding::side>, 1, recipe::kMostSide)
        .needed("the side of the model's input in pixels")
        .only_if(is_offset)
        .always(),
    recipe::real("centre", member<&Recipe::decoding, &Decoding::centre_variance>, kLeastVariance,
                 kMostVariance)
        .positional()
        .only_if(has_anchors)
        .always()
        .and_then(share_variance),
    recipe::real("size", member<&Recipe::decoding, &Decoding::size_variance>, kLeastVariance,
                 kMostVariance)
        .positional()
        .only_if(has_anchors)
        .always(),
    recipe::word("order", member<&Recipe::decoding, &Decoding::order>, kOrders)
        .always()
        .and_then(check_order),
};

Status take_detections(const Arguments&, const Argument*, void* recipe) {
  auto& r = as<Recipe>(recipe);
  if (!r.outputs.classes) r.outputs = {0, 2, 1, 3};
  r.suppression.rivals = Rivals::kNone;
  r.suppression.is_sorted = false;
  return {};
}
constexpr std::array kDetections{
    recipe::word("order", member<&Recipe::decoding, &Decoding::order>, kOrders)
        .needed("the order of the numbers of a box: yxyx, xyxy")
        .always()
        .and_then(take_detections)};

constexpr std::array kSkip{recipe::whole("classes", member<&Recipe::skip>, 1, kMostLines)
                               .needed("the number of leading classes to leave out")};
constexpr std::array kThreshold{
    recipe::real("least", member<&Recipe::threshold>, -kLargestScore, kLargestScore)
        .needed("the least score")};

Status begin_nms(const Arguments& arguments, void* recipe) {
  if (as<Recipe>(recipe).is_suppressed())
    return arguments.error(arguments.at(), "the model of detections(…) has suppressed already");
  as<Recipe>(recipe).suppression.rivals = Rivals::kAllClasses;
  return {};
}
constexpr std::array kRivals{Word{"per_class", Rivals::kSameClass},
                             Word{"all_classes", Rivals::kAllClasses}};
constexpr std::array kOverlaps{Word{"union", OverlapOf::kUnion},
                               Word{"smaller_area", OverlapOf::kSmallerArea},
                               Word{"union_of_pixels", OverlapOf::kUnionOfPixels}};
constexpr std::array kNms{
    recipe::real("limit", member<&Recipe::suppression, &Suppression::limit>, 0, 1)
        .needed("the overlap above which the lower score goes: 0.45")
        .always(),
    recipe::word("rivals", member<&Recipe::suppression, &Suppression::rivals>, kRivals)
        .positional()
        .always(),
    recipe::word("of", member<&Recipe::suppression, &Suppression::of>, kOverlaps),
};

constexpr std::array kTopk{
    recipe::whole("boxes", member<&Recipe::suppression, &Suppression::most>, 1, kMostBoxes)
        .needed("the most boxes to report")};
constexpr std::array kLabels{label_file<Recipe>("a file with one class name a line"),
                             label_shift<Recipe>()};

constexpr std::array kReports{Word{"xyxy", Report::kXyxy}, Word{"yxyx", Report::kYxyx},
                              Word{"xywh", Report::kXywh}, Word{"cxcywh", Report::kCxcywh},
                              Word{"yxhw", Report::kYxhw}};
constexpr std::array kBoxes{
    recipe::word("numbers", member<&Recipe::report>, kReports)
        .needed("what the app reports of a box: xyxy, xywh, …")
        .always(),
    recipe::word("scale", member<&Recipe::placement, &Placement::scale>, kScaleWords)
        .positional()
        .always(),
    recipe::word("cut", member<&Recipe::placement, &Placement::is_cut>, kCutWords).positional(),
};

constexpr int kBoxesPlace = 2;
constexpr std::array kBoxSteps{
    step("outputs", 0, kOutputs).there_if(recipe::always),
    kDequantizeStep<Recipe>,
    kCodesStep<Recipe>,
    step("decode", kBoxesPlace, kDecode).of_this_kind().there_if([](const void* recipe) {
      return !as<Recipe>(recipe).is_suppressed();
    }),
    step("detections", kBoxesPlace, kDetections).of_this_kind().there_if([](const void* recipe) {
      return as<Recipe>(recipe).is_suppressed();
    }),
    activation_step<Recipe, Activation::kSigmoid>("sigmoid", 3, true),
    activation_step<Recipe, Activation::kSoftmax>("softmax", 3, false),
    step("skip", 4, kSkip).beside_others(),
    step("best_class", 4)
        .beside_others()
        .begun_by(recipe::set_flag<&Recipe::best_class>)
        .there_if(recipe::has_flag<&Recipe::best_class>),
    step("threshold", 5, kThreshold),
    step("nms", 6, kNms).of_this_kind().begun_by(begin_nms).there_if([](const void* recipe) {
      return as<Recipe>(recipe).suppression.rivals != Rivals::kNone;
    }),
    step("topk", 7, kTopk),
    step("labels", 8, kLabels),
    step("boxes", 9, kBoxes).of_this_kind().beside_others().there_if(recipe::always),
    step("percent", 9)
        .beside_others()
        .begun_by(recipe::set_flag<&Recipe::percent>)
        .there_if(recipe::has_flag<&Recipe::percent>),
};

Result<Recipe> read_recipe(std::string_view text) {
  Recipe recipe;
  recipe.suppression.rivals = Rivals::kNone;
  EP_TRY(auto steps_read, recipe::read_steps(text, kBoxSteps, &recipe));
  if (std::none_of(steps_read.begin(), steps_read.end(),
                   [](const recipe::Step* one) { return one->place == kBoxesPlace; }))
    return Error{ErrorKind::kUsage,
                 "boxes are made by decode(…) or detections(…): neither is there"};
  return recipe;
}

}  // namespace

recipe::Steps steps() { return kBoxSteps; }

bool is_detection(std::string_view text) { return recipe::is_of_kind(text, kBoxSteps); }

Result<Recipe> parse(std::string_view text) { return read_behind_bars(text, read_recipe); }

std::string to_text(const Recipe& recipe) { return recipe::steps_text(kBoxSteps, &recipe); }

}  // namespace edgeprobe::postprocess::detection
