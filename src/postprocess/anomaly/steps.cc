// SPDX-License-Identifier: Apache-2.0
#include "postprocess/anomaly/recipe.h"
#include "postprocess/common_steps.h"

namespace edgeprobe::postprocess::anomaly {
namespace {

using recipe::as;
using recipe::member;
using recipe::step;

constexpr double kLargestAlarm = 1e30;

bool has_errors(const void* recipe) { return as<Recipe>(recipe).measure != Measure::kOutput; }
constexpr std::array kMeasures{
    Word{"mse", Measure::kMse, "takes the mean squared error of a window", 0}.planted(
        "the mean of squares", has_errors),
    Word{"mae", Measure::kMae, "takes the mean absolute error of a window", 1}.planted(
        "the mean of absolute differences", has_errors),
    Word{"rmse", Measure::kRmse, "takes the root of the mean squared error of a window", 2}.planted(
        "the root of the mean of squares", has_errors),
    Word{"sse", Measure::kSse, "takes the sum of squared errors of a window", 3}.planted(
        "the sum of squares", has_errors),
    Word{"sae", Measure::kSae, "takes the sum of absolute errors of a window", 4},
    Word{"l2", Measure::kL2, "takes the L2 norm of the error of a window", 5},
    Word{"max_square", Measure::kLargestSquare, "takes the largest squared error of a window", 7},
    Word{"max_absolute", Measure::kLargestAbsolute, "takes the largest absolute error of a window",
         6},
    Word{"output", Measure::kOutput, "takes the model's output for the score", 8},
};
constexpr std::array kWindowWords{
    Word{"mean", Windows::kMean, "takes the mean over the windows", 0}.planted(
        "windows pooled by the mean"),
    Word{"max", Windows::kLargest, "takes the largest of the windows", 1}.planted(
        "windows pooled by the largest"),
    Word{"median", Windows::kMedian, "takes the median of the windows", 2},
    Word{"first", Windows::kFirst, "takes the first window alone", 4}.planted(
        "the first window alone"),
    Word{"last", Windows::kLast, "takes the last window alone", 3},
    Word{"sum", Windows::kSum, "takes the sum over the windows", 5},
};
Status check_input(const recipe::Arguments& arguments, const recipe::Argument* given,
                   void* recipe) {
  if (!given || as<Recipe>(recipe).measure != Measure::kOutput) return {};
  return arguments.error(given->at, "score(output) reads no input");
}
constexpr std::array kScore{
    recipe::word("measure", member<&Recipe::measure>, kMeasures)
        .needed("mse, mae, rmse, sse, sae, l2, max_square, … or output")
        .always(),
    recipe::whole("input", member<&Recipe::input>, 0, kMostTensors).last().and_then(check_input),
    recipe::word("windows", member<&Recipe::windows>, kWindowWords).always(),
};

constexpr std::array kAlarms{
    Word{"above", false, "gives its alarm from the threshold on", 1}.planted("the alarm inverted"),
    Word{"below", true, "gives its alarm below the threshold", 0}.planted("the alarm inverted")};
constexpr std::array kThreshold{
    recipe::real("least", member<&Recipe::threshold>, -kLargestAlarm, kLargestAlarm)
        .needed("the least score of an alarm")
        .planted(kThresholdSlips),
    recipe::word("alarm", member<&Recipe::is_inverted>, kAlarms),
};

constexpr std::array kScoreSteps{
    step("output", 0, kOutputFields<Recipe>).there_if(recipe::always),
    kDequantizeStep<Recipe>,
    kCodesStep<Recipe>,
    step("score", 2, kScore).of_this_kind().there_if(recipe::always),
    step("threshold", 3, kThreshold).there_if([](const void* recipe) {
      return as<Recipe>(recipe).threshold.has_value();
    }),
};

Result<Recipe> read_recipe(std::string_view text) {
  Recipe recipe;
  EP_TRY(auto steps_read, recipe::read_steps(text, kScoreSteps, &recipe));
  if (!recipe::has_step(steps_read, "score"))
    return Error{ErrorKind::kUsage, "a score is made by score(…): it is not there"};
  return recipe;
}

}  // namespace

recipe::Steps steps() { return kScoreSteps; }

bool is_anomaly(std::string_view text) { return recipe::is_of_kind(text, kScoreSteps); }

Result<Recipe> parse(std::string_view text) { return read_behind_bars(text, read_recipe); }

std::string to_text(const Recipe& recipe) { return recipe::steps_text(kScoreSteps, &recipe); }

}  // namespace edgeprobe::postprocess::anomaly
