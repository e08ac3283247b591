// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe/readings_steps.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "preprocess/recipe/code_fields.h"
#include "recipe/print.h"
#include "recipe/read.h"
#include "sensor/synthesis.h"

namespace edgeprobe::preprocess {
namespace {

using recipe::Argument;
using recipe::Arguments;
using recipe::as;
using recipe::member;
using recipe::own;
using recipe::real;
using recipe::reals;
using recipe::Slip;
using recipe::step;
using recipe::whole;
using recipe::Word;
using recipe::word;
using R = sensor::FrontEnd;

constexpr int kMostSteps = 1 << 24;
constexpr double kMostFactor = 1e12;

/// "x", "-y", "a7": a column of the readings with its sign.
std::optional<sensor::Axis> axis_of(std::string_view text) {
  sensor::Axis axis;
  if (text.substr(0, 1) == "-") {
    axis.negative = true;
    text.remove_prefix(1);
  }
  if (text == "x" || text == "y" || text == "z") {
    axis.of = text[0] - 'x';
    return axis;
  }
  if (text.substr(0, 1) != "a") return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + 1, end, axis.of);
  if (read.ec != std::errc{} || read.ptr != end || axis.of < 0 || axis.of >= sensor::kMostAxes)
    return std::nullopt;
  return axis;
}

Status read_axes(Arguments& arguments, const Argument& first, void* recipe) {
  if (first.value == "all") return {};
  for (std::optional<Argument> given = first; given; given = arguments.next()) {
    const auto axis = axis_of(given->value);
    if (!axis)
      return arguments.error(given->at,
                             "expected an axis: x, y, z, or a0 to a63, with a - before it or not");
    as<R>(recipe).axes.push_back(*axis);
  }
  return {};
}
std::string axes_text(const void* recipe) {
  const auto& axes = as<R>(recipe).axes;
  const bool letters =
      axes.size() <= 3 &&
      std::all_of(axes.begin(), axes.end(), [](const auto& axis) { return axis.of < 3; });
  std::string text;
  for (const sensor::Axis& axis : axes)
    text += (text.empty() ? "" : ", ") + std::string(axis.negative ? "-" : "") +
            (letters ? std::string(1, "xyz"[axis.of]) : "a" + std::to_string(axis.of));
  return text;
}
/// Columns are numbered from 1; a negative number flips the sign.
constexpr recipe::Member kTaken{
    [](const void* recipe) {
      std::vector<std::int64_t> columns;
      for (const sensor::Axis& axis : as<R>(recipe).axes)
        columns.push_back(axis.negative ? -axis.of - 1 : axis.of + 1);
      return recipe::Value(std::move(columns));
    },
    [](void* recipe, const recipe::Value& value) {
      auto& axes = as<R>(recipe).axes;
      axes.clear();
      for (const std::int64_t column : std::get<std::vector<std::int64_t>>(value))
        axes.push_back({static_cast<int>(std::abs(column)) - 1, column < 0});
    },
    [] { return recipe::Value(std::vector<std::int64_t>{}); }};
bool has_axes(const void* f) { return !as<R>(f).axes.empty(); }
/// A recipe that takes all readings unchanged uses this step to state its kind.
bool is_all(const void* recipe) {
  const auto& f = as<R>(recipe);
  return f.length <= 0 && f.axes.empty() && f.rate <= 0;
}
constexpr std::array kAxesTaken{Word{"start", false, "of the readings' axes"},
                                Word{"end", true, "taken after the normalisation"}};
constexpr std::array kAxes{
    word("at", member<&R::axes_last>, kAxesTaken).last(),
    own("axes", kTaken, read_axes, axes_text).needed("axes like x, y, -z, or a0, a1, …, or all"),
};

Status read_factors(Arguments& arguments, const Argument& given, void* recipe) {
  Argument numbers = given;
  const bool is_inverse = numbers.value.substr(0, 2) == "1/";
  if (is_inverse) numbers.value.remove_prefix(2);
  EP_TRY(auto factors, arguments.list(numbers, -kMostFactor, kMostFactor));
  for (double& factor : factors) {
    if (factor == 0) return arguments.error(given.at, "a factor of 0 leaves nothing");
    if (is_inverse) factor = 1 / factor;
  }
  as<R>(recipe).scale = std::move(factors);
  return {};
}
std::string factors_text(const void* recipe) {
  const auto& scale = as<R>(recipe).scale;
  return scale.size() == 1 ? recipe::factor_text(scale.front()) : recipe::list_text(scale);
}
constexpr std::array kUnit{own("factors", member<&R::scale>, read_factors, factors_text)
                               .needed("a factor like 9.80665 or 1/1000, or one an axis")};

constexpr std::array kRateKernels{
    Word{"linear", sensor::Kernel::kLinear, "by straight lines between steps"},
    Word{"nearest", sensor::Kernel::kNearest, "by the step before"}.planted(
        "resampled by the nearest reading"),
    Word{"mean", sensor::Kernel::kMean, "by means of the steps in between"},
    Word{"poly", sensor::Kernel::kPoly, "by the filter poly"},
    Word{"sinc", sensor::Kernel::kSinc, "by the filter sinc"},
    Word{"soxr", sensor::Kernel::kSoxr, "by the filter soxr"},
};
constexpr std::array kRate{
    real("rate", member<&R::rate>, sensor::kLeastRate, sensor::kMostRate)
        .needed("a rate in Hz")
        .always()
        .with_digits(7),
    word("kernel", member<&R::kernel>, kRateKernels).positional(),
    real("from", member<&R::believed>, sensor::kLeastRate, sensor::kMostRate).with_digits(7),
};

std::string steps_meaning(const void* recipe) {
  const auto& f = as<R>(recipe);
  std::string text = std::to_string(f.length) + " steps";
  if (f.at_end && f.offset == 0) text += ", the last ones";
  else if (f.offset != 0 || f.at_end)
    text +=
        ", from step " + std::to_string(f.offset) + (f.at_end ? " before the last" : "") + " on";
  if (f.kept > 0) text += ", of which the first " + std::to_string(f.kept) + " are read";
  if (f.roll != 0)
    text += ", read from step " + std::to_string(f.roll) + " on, then from the first";
  if (f.newest_first) text += ", the newest first";
  if (f.fill == sensor::Fill::kEdge) text += "; beyond the readings their last step again";
  if (f.fill == sensor::Fill::kZero) text += "; beyond the readings zeros";
  if (f.fill == sensor::Fill::kZeroLast) text += "; beyond the readings zeros, never normalised";
  return text;
}
constexpr std::array kWindowEnds{Word{"start", false}.planted("the first window for the last"),
                                 Word{"end", true}.planted("the last window for the first")};
constexpr std::array kOffsetSlips{Slip{Slip::To::kMore, "the window one step later"}};
constexpr std::array kWindowFills{
    Word{"refuse", sensor::Fill::kRefuse}, Word{"zero", sensor::Fill::kZero},
    Word{"edge", sensor::Fill::kEdge}, Word{"zero_last", sensor::Fill::kZeroLast}};
constexpr std::array kStepOrders{Word{"oldest_first", false}, Word{"newest_first", true}};
constexpr std::array kStepsRead{
    whole("length", member<&R::length>, 1, kMostSteps).needed("a number of steps"),
    whole("offset", member<&R::offset>, -kMostSteps, kMostSteps).planted(kOffsetSlips),
    word("at", member<&R::at_end>, kWindowEnds),
    word("fill", member<&R::fill>, kWindowFills),
    whole("roll", member<&R::roll>, -kMostSteps, kMostSteps),
    whole("kept", member<&R::kept>, 1, kMostSteps),
    word("order", member<&R::newest_first>, kStepOrders),
};

bool has_figures(const void* f) {
  return as<R>(f).mean != std::vector<double>{0} || as<R>(f).std != std::vector<double>{1};
}
constexpr std::array kOwns{Word{"none", sensor::Own::kNone}.planted("not normalised"),
                           Word{"mean", sensor::Own::kMean},
                           Word{"mean_variance", sensor::Own::kMeanAndVariance},
                           Word{"mean_sample_variance", sensor::Own::kMeanAndSampleVariance},
                           Word{"range", sensor::Own::kRange}};
bool has_own(const void* f) { return as<R>(f).own != sensor::Own::kNone; }
bool is_over_all(const void* f) { return has_own(f) && as<R>(f).over_all; }
constexpr const char* kOtherOver =
    "the figures of all axes together, or of each where that is wrong";
constexpr std::array kOvers{Word{"axis", false}.planted(kOtherOver, has_own),
                            Word{"all", true}.planted(kOtherOver, has_own)};
constexpr std::array kMeanSlips{Slip{Slip::To::kUsual, "the mean not taken off"}};
constexpr std::array kStdSlips{Slip{Slip::To::kUsual, "not divided by the standard deviation"}};
constexpr std::array kFigures{
    reals("mean", member<&R::mean>, -kMostFactor, kMostFactor)
        .planted(kMeanSlips)
        .shown_if(has_figures),
    reals("std", member<&R::std>, -kMostFactor, kMostFactor)
        .planted(kStdSlips)
        .shown_if(has_figures),
    reals("low", {}, -kMostFactor, kMostFactor).shown_if(recipe::never),
    reals("high", {}, -kMostFactor, kMostFactor).shown_if(recipe::never),
    word("window", member<&R::own>, kOwns),
    word("over", member<&R::over_all>, kOvers).shown_if(is_over_all),
};
/// low= and high= are another way to write mean= and std=.
Status read_figures(Arguments& arguments, const recipe::Step& step, void* recipe) {
  auto& f = as<R>(recipe);
  EP_CHECK(recipe::read_fields(arguments, step.fields.first(2), recipe));
  std::array<std::vector<double>, 2> ends;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const recipe::Field& field = step.fields[2 + i];
    const auto given = arguments.take(field.name);
    if (!given) continue;
    EP_TRY(ends[i], arguments.list(*given, field.least, field.most));
  }
  EP_CHECK(recipe::read_fields(arguments, step.fields.subspan(4), recipe));
  const auto& [low, high] = ends;
  if (low.size() != high.size())
    return arguments.error(arguments.at(), "low= and high= go together, one each an axis");
  if (!low.empty()) {
    f.mean = low;
    f.std.clear();
    for (std::size_t a = 0; a < low.size(); ++a) f.std.push_back(high[a] - low[a]);
  }
  if (std::find(f.std.begin(), f.std.end(), 0) != f.std.end())
    return arguments.error(arguments.at(), "nothing is divided by 0");
  return {};
}
std::string figures_meaning(const void* recipe) {
  const auto& f = as<R>(recipe);
  std::string text;
  if (has_figures(recipe)) text = "subtracts the mean and divides by the deviation of each axis";
  const char* const own = f.own == sensor::Own::kMean              ? "without the window's mean"
                          : f.own == sensor::Own::kMeanAndVariance ? "by the window's mean and "
                                                                     "deviation"
                          : f.own == sensor::Own::kMeanAndSampleVariance
                              ? "by the window's mean and deviation (by n - 1)"
                          : f.own == sensor::Own::kRange
                              ? "to 0..1 by the window's least and largest value"
                              : "";
  if (*own)
    text += (text.empty() ? "" : "; ") + std::string(own) +
            (f.over_all ? ", of all axes together" : ", each axis by itself");
  return text;
}

constexpr std::array kAxisLayouts{
    Word{"steps_first", false}.planted("step by step, not axis by axis"),
    Word{"axes_first", true}.planted("axis by axis, not step by step")};
constexpr std::array kAxisLayout{word("order", member<&R::axes_first>, kAxisLayouts).positional()};

constexpr std::array kCodeRoundings{
    Word{"half_away", sensor::Codes::kNearest}, Word{"half_even", sensor::Codes::kHalfEven},
    Word{"floor", sensor::Codes::kFloor}.planted("codes cut off, not rounded"),
    Word{"trunc", sensor::Codes::kTruncated},
    Word{"wrap", sensor::Codes::kWrap}.planted("codes beyond the range wrap")};
constexpr const char* kOtherSign = "int8 codes passed as uint8";
constexpr std::array kSigns{Word{"kept", false}.planted(kOtherSign),
                            Word{"flipped", true}.planted(kOtherSign)};
constexpr std::array kCodes{
    own("from", member<&R::quantize>, read_model_codes<R>, model_codes_text<R>).positional(),
    real("scale", member<&R::code_scale>, 1e-30, 1e30),
    whole("zero_point", member<&R::code_zero>, -32768, 65535),
    word("round", member<&R::codes>, kCodeRoundings),
    word("sign", member<&R::sign_flipped>, kSigns),
};

constexpr std::array kReadingsSteps{
    step("axes", 0, kAxes).of_this_kind().there_if(has_axes).saying("the axes of the model, {at}"),
    step("scale", 1, kUnit).saying("into another unit: times {factors}"),
    step("rate", 2, kRate)
        .of_this_kind()
        .there_if([](const void* f) { return as<R>(f).rate > 0; })
        .saying("to {rate} steps a second, {kernel}[from|; the readings are taken to have "
                "{from}]"),
    step("window", 3, kStepsRead)
        .there_if([](const void* f) { return as<R>(f).length > 0; })
        .meant_by(steps_meaning),
    step("axes", 3)
        .only_shown()
        .there_if(is_all)
        .written_as([](const void*) { return std::string("axes(all)"); })
        .saying("all axes of the readings"),
    step("normalize", 4, kFigures).read_by(read_figures).meant_by(figures_meaning),
    step("layout", 5, kAxisLayout).saying("stored axis by axis, not step by step"),
    step("quantize", 6, kCodes)
        .there_if([](const void* f) { return as<R>(f).quantize; })
        .begun_by(begin_codes<R>)
        .saying(kCodesSentence),
};

bool counts_steps(const recipe::StepText& step) {
  return step.name == "window" && !step.arguments.empty() &&
         !step.arguments.front().value.empty() &&
         std::isdigit(static_cast<unsigned char>(step.arguments.front().value.front()));
}

}  // namespace

recipe::Steps readings_steps() { return kReadingsSteps; }

bool is_of_readings(const recipe::RecipeText& recipe) {
  return recipe::is_of_kind(recipe, kReadingsSteps) ||
         std::any_of(recipe.steps.begin(), recipe.steps.end(), counts_steps);
}

Result<Readings> read_readings(std::string_view text, const recipe::RecipeText& recipe) {
  Readings readings;
  const recipe::Step* last = nullptr;
  for (const recipe::StepText& one : recipe.steps) {
    Arguments arguments(text, one);
    const recipe::Step* const known = recipe::find_step(kReadingsSteps, one.name);
    if (!known) {
      Error unknown = recipe::unknown_step(arguments, one, recipe::step_names(kReadingsSteps));
      unknown.what += "; this is a recipe of a sensor's readings, which has no other steps";
      return unknown;
    }
    EP_CHECK(recipe::follows(arguments, *known, last));
    last = known;
    EP_CHECK(recipe::read_step(arguments, *known, &readings.front_end));
  }
  if (auto good = sensor::check(readings.front_end); !good)
    return Error{ErrorKind::kUsage, "recipe: " + good.error().what};
  return readings;
}

std::vector<Spelled> spelled_readings(const sensor::FrontEnd& f) {
  return recipe::spelled(kReadingsSteps, &f);
}

}  // namespace edgeprobe::preprocess
