// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "postprocess/common_steps.h"
#include "postprocess/detection/reading_rows.h"
#include "postprocess/detection/recipe.h"
#include "postprocess/detection/words.h"
#include "recipe/limits.h"

namespace edgeprobe::postprocess::detection {
namespace {

using recipe::Arguments;
using recipe::as;
using recipe::member;
using recipe::step;
using namespace rows;  // NOLINT(google-build-using-namespace)

constexpr int kMostBoxes = 1'000'000;

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
    Word{"", Rivals::kNone}.planted("boxes not suppressed"),  // By omitting the step.
};
constexpr std::array kOverlaps{
    Word{"union", OverlapOf::kUnion}, Word{"smaller_area", OverlapOf::kSmallerArea},
    Word{"union_of_pixels", OverlapOf::kUnionOfPixels}, Word{"turned", OverlapOf::kTurned},
    Word{"gaussians", OverlapOf::kGaussians}};
constexpr std::array kBy{Word{"kept", false}, Word{"all", true}};
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
    recipe::word("by", member<&Recipe::suppression, &Suppression::is_by_all>, kBy),
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
    step("outputs", 0, kOutputs).there_if(has_outputs),
    step("maps", 0, kMaps).of_this_kind().there_if(has_maps),
    kDequantizeStep<Recipe>,
    kCodesStep<Recipe>,
    step("decode", kBoxesPlace, kDecode).of_this_kind().there_if([](const void* recipe) {
      return !as<Recipe>(recipe).is_suppressed();
    }),
    step("detections", kBoxesPlace, kDetections).of_this_kind().there_if([](const void* recipe) {
      return as<Recipe>(recipe).is_suppressed();
    }),
    step("keypoints", 3, kKeypoints).there_if(has_keypoints),
    step("angle", 3).of_this_kind().begun_by(begin_angle).there_if(is_angled),
    activation_step<Recipe, Activation::kSigmoid>("sigmoid", 4, true),
    activation_step<Recipe, Activation::kSoftmax>("softmax", 4, false),
    step("skip", 5, kSkip).beside_others(),
    step("best_class", 5)
        .beside_others()
        .begun_by(recipe::set_flag<&Recipe::best_class>)
        .there_if(recipe::has_flag<&Recipe::best_class>),
    step("threshold", 6, kThreshold),
    step("nms", 7, kNms).of_this_kind().begun_by(begin_nms).there_if([](const void* recipe) {
      return as<Recipe>(recipe).suppression.rivals != Rivals::kNone;
    }),
    step("topk", 8, kTopk),
    step("labels", 9, kLabels),
    step("boxes", 10, kBoxes).of_this_kind().beside_others().there_if(recipe::always),
    step("percent", 10)
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
