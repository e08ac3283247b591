// SPDX-License-Identifier: Apache-2.0
#include "postprocess/anomaly/recipe.h"
#include "postprocess/common_steps.h"

namespace edgeprobe::postprocess::anomaly {
namespace {

using recipe::as;
using recipe::member;
using recipe::step;

constexpr double kLargestAlarm = 1e30;

constexpr std::array kMeasures{Word{"mse", Measure::kMse},
                               Word{"mae", Measure::kMae},
                               Word{"rmse", Measure::kRmse},
                               Word{"sse", Measure::kSse},
                               Word{"sae", Measure::kSae},
                               Word{"l2", Measure::kL2},
                               Word{"max_square", Measure::kLargestSquare},
                               Word{"max_absolute", Measure::kLargestAbsolute},
                               Word{"output", Measure::kOutput}};
constexpr std::array kWindowWords{Word{"mean", Windows::kMean},     Word{"max", Windows::kLargest},
                                  Word{"median", Windows::kMedian}, Word{"first", Windows::kFirst},
                                  Word{"last", Windows::kLast},     Word{"sum", Windows::kSum}};
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

constexpr std::array kAlarms{Word{"above", false}, Word{"below", true}};
constexpr std::array kThreshold{
    recipe::real("least", member<&Recipe::threshold>, -kLargestAlarm, kLargestAlarm)
        .needed("the least score of an alarm"),
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
  auto steps_read = recipe::read_steps(text, kScoreSteps, &recipe);
  if (!steps_read) return std::move(steps_read).error();
  if (!recipe::has_step(*steps_read, "score"))
    return Error{ErrorKind::kUsage, "a score is made by score(…): it is not there"};
  return recipe;
}

}  // namespace

recipe::Steps steps() { return kScoreSteps; }

bool is_anomaly(std::string_view text) { return recipe::is_of_kind(text, kScoreSteps); }

Result<Recipe> parse(std::string_view text) { return read_behind_bars(text, read_recipe); }

std::string to_text(const Recipe& recipe) { return recipe::steps_text(kScoreSteps, &recipe); }

}  // namespace edgeprobe::postprocess::anomaly
