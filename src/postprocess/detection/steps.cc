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
bool is_apart(const void* recipe) { return as<Recipe>(recipe).is_apart(); }
bool is_one_output(const void* recipe) { return !is_apart(recipe); }
constexpr std::array kOutputs{
    output_number("boxes", member<&Recipe::outputs, &Outputs::boxes>).always(),
    output_number("scores", member<&Recipe::outputs, &Outputs::scores>).shown_if(is_apart),
    output_number("classes", member<&Recipe::outputs, &Outputs::classes>),
    output_number("count", member<&Recipe::outputs, &Outputs::count>),
};

// The first argument of decode(): how numbers become boxes, and where they are.
constexpr int coded(Coder coder, HeadKind kind) {
  return static_cast<int>(coder) + 16 * static_cast<int>(kind);
}
constexpr std::array kCoders{
    Word{"none", coded(Coder::kBoxes, HeadKind::kApart)},
    Word{"ssd", coded(Coder::kSsd, HeadKind::kApart)},
    Word{"linear", coded(Coder::kLinear, HeadKind::kApart)},
    Word{"offset", coded(Coder::kOffset, HeadKind::kApart)},
    Word{"yolo8", coded(Coder::kBoxes, HeadKind::kScores)},
    Word{"yolo5", coded(Coder::kBoxes, HeadKind::kObject)},
    Word{"yolox", coded(Coder::kSsd, HeadKind::kObject)},
};
constexpr recipe::Member kCoder{[](const void* recipe) -> recipe::Value {
                                  const auto& r = as<Recipe>(recipe);
                                  return std::int64_t{coded(r.decoding.coder, r.head.kind)};
                                },
                                [](void* recipe, const recipe::Value& value) {
                                  auto& r = as<Recipe>(recipe);
                                  const auto both = std::get<std::int64_t>(value);
                                  r.decoding.coder = static_cast<Coder>(both % 16);
                                  r.head.kind = static_cast<HeadKind>(both / 16);
                                },
                                []() -> recipe::Value { return std::int64_t{0}; }};
// One order of corners for another, and one of centre and sides.
bool has_corners(const void* recipe) { return is_of_corners(as<Recipe>(recipe).decoding.order); }
bool has_centre(const void* recipe) { return !has_corners(recipe); }
constexpr std::array kOrders{
    Word{"xyxy", CodeOrder::kXyxy, "reads the numbers of a box output as xyxy", 0}.planted(
        "codes read as xyxy", has_corners),
    Word{"yxyx", CodeOrder::kYxyx, "reads the numbers of a box output as yxyx", 1}.planted(
        "codes read as yxyx", has_corners),
    Word{"xxyy", CodeOrder::kXxyy, "reads the numbers of a box output as xxyy", 2}.planted(
        "codes read as xxyy", has_corners),
    Word{"cxcywh", CodeOrder::kCxcywh, "reads the numbers of a box output as cxcywh", 3}.planted(
        "codes read as cxcywh", has_centre),
    Word{"cycxhw", CodeOrder::kCycxhw, "reads the numbers of a box output as cycxhw", 4}.planted(
        "codes read as cycxhw", has_centre),
    Word{"whcxcy", CodeOrder::kWhcxcy, "reads the numbers of a box output as whcxcy", 5}.planted(
        "codes read as whcxcy", has_centre),
    Word{"cxcyhw", CodeOrder::kCxcyhw, "reads the numbers of a box output as cxcyhw", 6}.planted(
        "codes read as cxcyhw", has_centre),
};
bool has_anchors(const void* recipe) { return as<Recipe>(recipe).decoding.coder != Coder::kBoxes; }
bool is_offset(const void* recipe) { return as<Recipe>(recipe).decoding.coder == Coder::kOffset; }
bool has_boxes(const void* recipe) { return !has_anchors(recipe); }
bool names_anchors(const void* recipe) { return has_anchors(recipe) && is_apart(recipe); }
bool has_objectness(const void* recipe) {
  return as<Recipe>(recipe).head.kind == HeadKind::kObject;
}
bool has_usual_columns(const Recipe& recipe) { return recipe.head.kind == HeadKind::kScores; }
bool is_turned(const void* recipe) {
  const auto& r = as<Recipe>(recipe);
  return r.head.is_by_columns != has_usual_columns(r);
}
bool has_unusual_unit(const void* recipe) {
  return as<Recipe>(recipe).decoding.in_pixels != is_one_output(recipe);
}
// One output holds all: the recipe names it once.
Status take_one_output(const Arguments& arguments, Recipe& recipe) {
  constexpr Outputs kUsual;
  const std::size_t scores = recipe.outputs.scores;
  if ((scores != kUsual.scores && scores != recipe.outputs.boxes) || recipe.outputs.classes ||
      recipe.outputs.count)
    return arguments.error(arguments.at(),
                           "boxes, scores and classes are in one output there: outputs(boxes=0)");
  recipe.outputs.scores = recipe.outputs.boxes;
  return {};
}
Status begin_decoding(const Arguments& arguments, const Argument*, void* recipe) {
  auto& r = as<Recipe>(recipe);
  r.decoding.order =
      has_anchors(recipe) || is_one_output(recipe) ? CodeOrder::kCxcywh : CodeOrder::kXyxy;
  r.decoding.in_pixels = has_boxes(recipe) && is_one_output(recipe);
  r.head.is_by_columns = has_usual_columns(r);
  if (is_apart(recipe)) return {};
  if (has_anchors(recipe)) r.anchors.source = "yolox";
  return take_one_output(arguments, r);
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
constexpr std::array kLines{Word{"rows", false}, Word{"columns", true}};
constexpr std::array kUnits{
    Word{"shares", false, "takes boxes in pixels of the model's input for shares of it", 0}.planted(
        "boxes in pixels taken for shares", has_boxes),
    Word{"model_pixels", true, "takes boxes in shares of the model's input for pixels of it", 1}
        .planted("boxes in shares taken for pixels", has_boxes),
};
constexpr recipe::Field kUnit =
    recipe::word("unit", member<&Recipe::decoding, &Decoding::in_pixels>, kUnits)
        .only_if(has_boxes)
        .shown_if(has_unusual_unit);
constexpr std::array kObjectness{
    Word{"factor", Objectness::kFactor},
    Word{"ignored", Objectness::kIgnored,
         "leaves out the objectness: its score is that of the class", 0}
        .planted("objectness left out", has_objectness),
    Word{"alone", Objectness::kAlone, "takes the objectness for the score", 1}.planted(
        "objectness taken for the score", has_objectness),
};
constexpr std::array kDecode{
    recipe::word("coder", kCoder, kCoders)
        .needed("yolo8, yolo5, yolox, ssd, offset or none")
        .always()
        .and_then(begin_decoding),
    recipe::text("anchors", member<&Recipe::anchors, &Anchors::source>)
        .needed("ssd, ultraface, short_range, yolox or a .npy file of anchors")
        .only_if(names_anchors)
        .always(),
    recipe::real("side", member<&Recipe::decoding, &Decoding::side>, 1, recipe::kMostSide)
        .needed("the side of the model's input in pixels")
        .only_if(is_offset)
        .always(),
    recipe::real("centre", member<&Recipe::decoding, &Decoding::centre_variance>, kLeastVariance,
                 kMostVariance)
        .positional()
        .only_if(names_anchors)
        .always()
        .and_then(share_variance),
    recipe::real("size", member<&Recipe::decoding, &Decoding::size_variance>, kLeastVariance,
                 kMostVariance)
        .positional()
        .only_if(names_anchors)
        .always(),
    recipe::word("order", member<&Recipe::decoding, &Decoding::order>, kOrders)
        .always()
        .and_then(check_order),
    recipe::word("boxes", member<&Recipe::head, &Head::is_by_columns>, kLines)
        .only_if(is_one_output)
        .shown_if(is_turned),
    kUnit,
    recipe::whole("extra", member<&Recipe::head, &Head::extra>, 0, kMostLines)
        .only_if(is_one_output),
    recipe::word("objectness", member<&Recipe::head, &Head::objectness>, kObjectness)
        .only_if(has_objectness),
};

constexpr std::array kRows{
    Word{"outputs", HeadKind::kApart},
    Word{"box_score_class", HeadKind::kBoxScoreClass},
    Word{"class_score_box", HeadKind::kClassScoreBox},
    Word{"batch_box_class_score", HeadKind::kBatchBoxClassScore},
};
Status take_detections(const Arguments& arguments, const Argument*, void* recipe) {
  auto& r = as<Recipe>(recipe);
  r.suppression.rivals = Rivals::kNone;
  r.suppression.is_sorted = false;
  r.decoding.in_pixels = is_one_output(recipe);
  if (is_one_output(recipe)) return take_one_output(arguments, r);
  if (!r.outputs.classes) r.outputs = {0, 2, 1, 3};
  return {};
}
constexpr std::array kDetections{
    recipe::word("order", member<&Recipe::decoding, &Decoding::order>, kOrders)
        .needed("the order of the numbers of a box: yxyx, xyxy")
        .always(),
    recipe::word("row", member<&Recipe::head, &Head::kind>, kRows).and_then(take_detections),
    kUnit,
};

constexpr std::array kSkipSlips{
    recipe::Slip{recipe::Slip::To::kUsual, "the background is a class"}};
constexpr std::array kEnds{Word{"first", false}, Word{"last", true}};
constexpr std::array kSkip{recipe::whole("classes", member<&Recipe::skip>, 1, kMostLines)
                               .needed("the number of classes to leave out")
                               .always()
                               .planted(kSkipSlips),
                           recipe::word("from", member<&Recipe::skips_last>, kEnds).positional()};
bool has_threshold(const void* recipe) { return as<Recipe>(recipe).threshold > 0; }
bool has_no_threshold(const void* recipe) { return !has_threshold(recipe); }
constexpr std::array kLeastSlips{
    recipe::Slip{recipe::Slip::To::kUsual, "no threshold", 0, has_threshold},
    recipe::Slip{recipe::Slip::To::kNumber, "a threshold of 0.5", 0.5, has_no_threshold},
    recipe::Slip{recipe::Slip::To::kHalf, "half the threshold", 0, has_threshold}};
constexpr std::array kThreshold{
    recipe::real("least", member<&Recipe::threshold>, -kLargestScore, kLargestScore)
        .needed("the least score")
        .planted(kLeastSlips)};

Status begin_nms(const Arguments& arguments, void* recipe) {
  if (as<Recipe>(recipe).is_suppressed())
    return arguments.error(arguments.at(), "the model of detections(…) has suppressed already");
  as<Recipe>(recipe).suppression.rivals = Rivals::kAllClasses;
  return {};
}
constexpr std::array kRivals{
    Word{"per_class", Rivals::kSameClass},
    Word{"all_classes", Rivals::kAllClasses}.planted("boxes of other classes suppressed"),
    Word{"", Rivals::kNone}.planted("boxes not suppressed"),  // By leaving the step out.
};
constexpr std::array kOverlaps{Word{"union", OverlapOf::kUnion},
                               Word{"smaller_area", OverlapOf::kSmallerArea},
                               Word{"union_of_pixels", OverlapOf::kUnionOfPixels}};
constexpr std::array kMerges{Word{"none", false}, Word{"weighted", true}};
constexpr std::array kLimitSlips{recipe::Slip{recipe::Slip::To::kHalf, "half the overlap allowed"}};
constexpr std::array kNms{
    recipe::real("limit", member<&Recipe::suppression, &Suppression::limit>, 0, 1)
        .needed("the overlap above which the lower score goes: 0.45")
        .planted(kLimitSlips)
        .always(),
    recipe::word("rivals", member<&Recipe::suppression, &Suppression::rivals>, kRivals)
        .positional()
        .always(),
    recipe::word("of", member<&Recipe::suppression, &Suppression::of>, kOverlaps),
    recipe::word("merge", member<&Recipe::suppression, &Suppression::is_weighted>, kMerges),
    recipe::real("offset", member<&Recipe::suppression, &Suppression::class_offset>, 0,
                 recipe::kMostSide),
};

constexpr std::array kTopk{
    recipe::whole("boxes", member<&Recipe::suppression, &Suppression::most>, 1, kMostBoxes)
        .needed("the most boxes to report")};
constexpr std::array kLabels{
    label_file<Recipe>("a file with the names of the classes"),
    recipe::text("other", member<&Recipe::labels, &Labels::other, &Table::file>),
    label_shift<Recipe>(),
    label_column<Recipe>(),
};

constexpr std::array kReports{
    Word{"xyxy", Report::kXyxy, "reports boxes as xyxy", 0}.planted("boxes handed on as xyxy"),
    Word{"yxyx", Report::kYxyx, "reports boxes as yxyx", 1}.planted("boxes handed on as yxyx"),
    Word{"xywh", Report::kXywh, "reports boxes as xywh", 2}.planted("boxes handed on as xywh"),
    Word{"cxcywh", Report::kCxcywh, "reports boxes as cxcywh", 3}.planted(
        "boxes handed on as cxcywh"),
    Word{"yxhw", Report::kYxhw, "reports boxes as yxhw", 4},
};
constexpr std::array kScales =
    scale_words({"scales boxes by the picture's sides, as if it had been stretched",
                 "scales boxes as if the picture had bars right or below",
                 "leaves boxes in pixels of the model's input", "leaves boxes as shares (0..1)",
                 "scales boxes by the picture's shorter side"});
constexpr std::array kCuts{Word{"cut", true}, Word{"whole", false}};
constexpr std::array kMirrors{
    Word{"", Mirror::kLeftRight, "mirrors boxes left and right", 0}.planted(kAsMirrored),
    Word{"", Mirror::kUpsideDown, "turns boxes upside down", 1},
    Word{"", Mirror::kTransposed, "exchanges x and y of boxes", 2},
    Word{"", Mirror::kBoth, "turns boxes by 180 degrees", 3},
    Word{"", Mirror::kCornersLeft, "mirrors boxes without exchanging their corners (x1 > x2)", 4},
};
constexpr std::array kBoxes{
    recipe::word("numbers", member<&Recipe::report>, kReports)
        .needed("what the app reports of a box: xyxy, xywh, …")
        .always(),
    recipe::word("scale", member<&Recipe::placement, &Placement::scale>, kScales)
        .positional()
        .always(),
    recipe::word("cut", member<&Recipe::placement, &Placement::is_cut>, kCuts).positional(),
    recipe::word("mirror", member<&Recipe::placement, &Placement::mirror>, kMirrors).unspoken(),
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
