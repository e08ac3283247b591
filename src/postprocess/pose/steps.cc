// SPDX-License-Identifier: Apache-2.0
#include "postprocess/common_steps.h"
#include "postprocess/detection/keypoints.h"
#include "postprocess/detection/words.h"
#include "postprocess/pose/recipe.h"

namespace edgeprobe::postprocess::pose {
namespace {

using recipe::as;
using recipe::member;
using recipe::step;

Status check_letters(const recipe::Arguments& arguments, const recipe::Argument* given,
                     void* recipe) {
  if (detection::are_numbers_of_point(as<Recipe>(recipe).numbers)) return {};
  return arguments.error(given->at, detection::kNumbersOfPoint);
}
constexpr const char* kOtherUnit = "points taken for pixels of the model's input, or for shares";
constexpr std::array kUnits{Word{"shares", false}.planted(kOtherUnit),
                            Word{"model_pixels", true}.planted(kOtherUnit)};
constexpr std::array kKeypoints{
    recipe::text("numbers", member<&Recipe::numbers>)
        .needed("the numbers of one point: yxs, xys, xy, xy_s")
        .always()
        .and_then(check_letters),
    recipe::word("unit", member<&Recipe::are_model_pixels>, kUnits).positional(),
};
constexpr std::array kSlips{kHalfThreshold, kNoThreshold};
constexpr std::array kThreshold{
    recipe::real("least", member<&Recipe::threshold>, -kLargestScore, kLargestScore)
        .needed("the least score of a point that is shown")
        .planted(kSlips)};
constexpr std::array kLabels{label_file<Recipe>("a file with the names of the points"),
                             label_column<Recipe>()};
using detection::Mirror;
constexpr std::array kScales = detection::scale_words(
    {"scales points by the picture's sides, as if it had been stretched",
     "scales points as if the picture had bars right or below",
     "leaves points in pixels of the model's input", "leaves points as shares (0..1)",
     "scales points by the picture's shorter side"});
constexpr std::array kCuts{Word{"cut", true, "cuts points at the edge of the picture", 0},
                           Word{"whole", false, "leaves points outside of the picture", 1}};
constexpr std::array kMirrors{
    Word{"", Mirror::kLeftRight, "mirrors points left and right", 0}.planted(
        detection::kAsMirrored),
    Word{"", Mirror::kTransposed, "reads x for y and y for x", 1},
    Word{"", Mirror::kUpsideDown, "turns points upside down", 2},
    Word{"", Mirror::kBoth, "turns points by 180 degrees", 3},
};
constexpr std::array kOrders{Word{"", true, "hands on y before x"}.planted("y handed on before x")};
constexpr std::array kPoints{
    recipe::word("scale", member<&Recipe::placement, &Placement::scale>, kScales)
        .positional()
        .always(),
    recipe::word("cut", member<&Recipe::placement, &Placement::is_cut>, kCuts).positional(),
    recipe::word("mirror", member<&Recipe::placement, &Placement::mirror>, kMirrors).unspoken(),
    recipe::word("order", member<&Recipe::is_y_first>, kOrders).unspoken(),
};

constexpr std::array kPointSteps{
    step("output", 0, kOutputFields<Recipe>),
    kDequantizeStep<Recipe>,
    kCodesStep<Recipe>,
    step("keypoints", 2, kKeypoints).of_this_kind().there_if(recipe::always),
    activation_step<Recipe, Activation::kSigmoid>("sigmoid", 3, true),
    step("threshold", 4, kThreshold),
    step("labels", 5, kLabels),
    step("points", 6, kPoints).of_this_kind().there_if(recipe::always),
};

Result<Recipe> read_recipe(std::string_view text) {
  Recipe recipe;
  EP_TRY(auto steps_read, recipe::read_steps(text, kPointSteps, &recipe));
  if (!recipe::has_step(steps_read, "keypoints"))
    return Error{ErrorKind::kUsage, "points are made by keypoints(yxs): it is not there"};
  if (recipe.numbers.find('s') == std::string::npos &&
      (recipe.threshold || !recipe.activations.empty()))
    return Error{ErrorKind::kUsage, "points of keypoints(" + recipe.numbers +
                                        ") have no score: no threshold, no activation"};
  return recipe;
}

}  // namespace

recipe::Steps steps() { return kPointSteps; }

bool is_pose(std::string_view text) { return recipe::is_of_kind(text, kPointSteps); }

Result<Recipe> parse(std::string_view text) { return read_behind_bars(text, read_recipe); }

std::string to_text(const Recipe& recipe) { return recipe::steps_text(kPointSteps, &recipe); }

}  // namespace edgeprobe::postprocess::pose
