// SPDX-License-Identifier: Apache-2.0
#include "postprocess/common_steps.h"
#include "postprocess/recipe.h"

namespace edgeprobe::postprocess {
namespace {

using recipe::Argument;
using recipe::Arguments;
using recipe::as;
using recipe::member;
using recipe::step;
using recipe::Value;

// A single value states how numbers are read; two of its aspects have arguments of their own.
bool has_flipped_sign(Reading reading) {
  return reading == Reading::kFlippedSign || reading == Reading::kFlippedCodes ||
         reading == Reading::kFlippedNoZeroPoint;
}
bool is_without_zero(Reading reading) {
  return reading == Reading::kNoZeroPoint || reading == Reading::kFlippedNoZeroPoint;
}
bool are_codes(Reading reading) {
  return reading == Reading::kCodes || reading == Reading::kFlippedCodes ||
         reading == Reading::kOf255;
}
Reading reading_of(bool codes, bool without_zero, bool flipped) {
  if (codes) return flipped ? Reading::kFlippedCodes : Reading::kCodes;
  if (without_zero) return flipped ? Reading::kFlippedNoZeroPoint : Reading::kNoZeroPoint;
  return flipped ? Reading::kFlippedSign : Reading::kValues;
}
Value unset() { return std::int64_t{0}; }

constexpr recipe::Member kZeroPoint{
    [](const void* recipe) -> Value {
      return std::int64_t{is_without_zero(as<Classification>(recipe).reading)};
    },
    [](void* recipe, const Value& value) {
      Reading& reading = as<Classification>(recipe).reading;
      reading = reading_of(false, std::get<std::int64_t>(value) != 0, has_flipped_sign(reading));
    },
    unset};
constexpr recipe::Member kSign{
    [](const void* recipe) -> Value {
      return std::int64_t{has_flipped_sign(as<Classification>(recipe).reading)};
    },
    [](void* recipe, const Value& value) {
      Reading& reading = as<Classification>(recipe).reading;
      reading = reading_of(are_codes(reading), is_without_zero(reading),
                           std::get<std::int64_t>(value) != 0);
    },
    unset};

constexpr std::array kDequantize{recipe::word("zero_point", kZeroPoint, kZeroPointWords),
                                 recipe::word("sign", kSign, recipe::kKeptOrFlipped)};

Status read_divisor(Arguments& arguments, const Argument& given, void* recipe) {
  EP_CHECK(arguments.whole(given, 255, 255));
  Reading& reading = as<Classification>(recipe).reading;
  if (has_flipped_sign(reading))
    return arguments.error(given.at, "codes are divided by 255 or flipped, not both");
  reading = Reading::kOf255;
  return {};
}
std::string divisor_text(const void* recipe) {
  return as<Classification>(recipe).reading == Reading::kOf255 ? "255" : "";
}
constexpr std::array kCodes{recipe::word("sign", kSign, recipe::kKeptOrFlipped),
                            recipe::own("of", {}, read_divisor, divisor_text)};

Status read_axis(Arguments& arguments, const Argument& given, void* recipe) {
  EP_TRY(auto axis, arguments.word(given, kAxisWords));
  as<Classification>(recipe).activations.back() = static_cast<Activation>(axis);
  return {};
}
constexpr std::array kSoftmax{recipe::own("axis", {}, read_axis, nullptr)};

template <Activation kKind>
constexpr recipe::Step activation_row(std::string_view name) {
  return activation_step<Classification, kKind>(name, 2, kKind == Activation::kSoftmax);
}
constexpr recipe::Step softmax() {
  recipe::Step step = activation_row<Activation::kSoftmax>("softmax");
  step.fields = kSoftmax;
  return step;
}

constexpr std::array kSkipSlips{recipe::Slip{recipe::Slip::To::kMore, "the first class left out"}};
constexpr std::array kSkip{recipe::whole("classes", member<&Classification::skip>, 1, kMostClasses)
                               .needed("the number of leading classes to leave out")
                               .planted(kSkipSlips)};
constexpr std::array kSort{recipe::word("order", member<&Classification::order>, kOrderWords)
                               .needed("descending, ascending or none")};
constexpr std::array kMostSlips{recipe::Slip{recipe::Slip::To::kMore, "one answer more"}};
constexpr std::array kTopk{recipe::whole("classes", member<&Classification::most>, 1, kMostClasses)
                               .needed("the number of classes to report")
                               .planted(kMostSlips)};
constexpr std::array kThreshold{
    recipe::real("least", member<&Classification::threshold>, -kLargestScore, kLargestScore)
        .needed("the least score")
        .planted(kThresholdSlips)};

Status check_order(const Arguments& arguments, const Argument* given, void* recipe) {
  const auto& labels = as<Classification>(recipe).labels;
  if (!given || labels->order != TableOrder::kOther || labels->other) return {};
  return arguments.error(given->at, "order=other needs the file: other=FILE");
}
constexpr std::array kLabels{
    label_file<Classification>("a file with the names of the classes"),
    recipe::text("other", member<&Classification::labels, &Labels::other, &Table::file>),
    label_shift<Classification>(),
    label_column<Classification>(),
    recipe::word("order", member<&Classification::labels, &Labels::order>, kTableWords)
        .and_then(check_order),
};

constexpr std::array kClassSteps{
    step("output", 0, kOutputFields<Classification>),
    step("dequantize", 1, kDequantize)
        .begun_by(read_as_values<Classification>)
        .there_if(
            [](const void* recipe) { return !are_codes(as<Classification>(recipe).reading); }),
    step("codes", 1, kCodes)
        .begun_by(read_as_codes<Classification>)
        .there_if([](const void* recipe) { return are_codes(as<Classification>(recipe).reading); }),
    softmax(),
    activation_row<Activation::kSigmoid>("sigmoid"),
    activation_row<Activation::kLogSoftmax>("log_softmax"),
    activation_row<Activation::kShare>("share"),
    activation_row<Activation::kOfLargest>("of_largest"),
    activation_row<Activation::kStretched>("stretch"),
    activation_row<Activation::kExp>("exp"),
    step("skip", 3, kSkip),
    step("sort", 4, kSort),
    step("topk", 5, kTopk).beside_others(),
    step("threshold", 5, kThreshold).beside_others(),
    step("labels", 5, kLabels).beside_others(),
    step("percent", 6)
        .begun_by(recipe::set_flag<&Classification::percent>)
        .there_if(recipe::has_flag<&Classification::percent>),
};
// Steps for other tasks: a clear refusal is better than "did you mean".
constexpr std::array<std::string_view, 14> kOtherTasks{
    "detections", "decode",    "nms",  "boxes", "argmax", "resize",    "colors",
    "mask",       "keypoints", "pool", "score", "points", "normalize", "ctc"};

Error refused(const Arguments& arguments, const recipe::StepText& text) {
  for (const std::string_view word : kOtherTasks) {
    if (word != text.name) continue;
    Error refusal =
        arguments.error(text.at, std::string(word) +
                                     " is not supported in this version among the steps of a "
                                     "classifier");
    refusal.kind = ErrorKind::kUnsupported;
    return refusal;
  }
  return recipe::unknown_step(arguments, text, recipe::step_names(kClassSteps));
}

Result<Classification> read_recipe(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return Error{ErrorKind::kUsage, "no step; a short one is: dequantize | softmax | topk(5)"};
  EP_CHECK(recipe::scan_recipe(text));
  if (const std::size_t bars = text.find("||"); bars != std::string_view::npos)
    return Error{ErrorKind::kUsage, recipe::place(text, bars) + ": \"||\" stands once in a recipe"};
  Classification recipe;
  EP_CHECK(recipe::read_steps(text, kClassSteps, &recipe, recipe::Manner::kByOrder, refused));
  return recipe;
}

}  // namespace

recipe::Steps steps() { return kClassSteps; }

Result<Classification> parse(std::string_view text) { return read_behind_bars(text, read_recipe); }

std::string to_text(const Classification& recipe) {
  return recipe::steps_text(kClassSteps, &recipe);
}

}  // namespace edgeprobe::postprocess
