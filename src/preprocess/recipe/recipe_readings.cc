// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe/recipe_readings.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "preprocess/recipe/readings_words.h"
#include "preprocess/recipe/recipe_taker.h"
#include "sensor/synthesis.h"

namespace edgeprobe::preprocess {
namespace {

constexpr int kMostLength = 1 << 24;

/// "x", "-y", "a7": a column of the readings and its sign.
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

void read_axes(Taker& take, sensor::FrontEnd& f) {
  take.word("at", kAtWords, f.axes_last);
  auto given = take.needed("axes like x, y, -z, or a0, a1, …, or all");
  if (given && given->value == "all") return;
  for (; given; given = take.arguments().next()) {
    const auto axis = axis_of(given->value);
    if (!axis) {
      take.keep(take.arguments().error(
          given->at, "expected an axis: x, y, z, or a0 to a63, with a - before it or not"));
      return;
    }
    f.axes.push_back(*axis);
  }
}

void read_scale_of_readings(Taker& take, sensor::FrontEnd& f) {
  const auto given = take.needed("a factor like 9.80665 or 1/1000, or one an axis");
  if (!given) return;
  Argument value = *given;
  const bool inverse = value.value.substr(0, 2) == "1/";
  if (inverse) value.value.remove_prefix(2);
  take.read_list(value, -1e12, 1e12, f.scale);
  for (double& factor : f.scale) {
    if (factor == 0) take.keep(take.arguments().error(given->at, "a factor of 0 leaves nothing"));
    if (inverse) factor = 1 / factor;
  }
}

void read_rate(Taker& take, sensor::FrontEnd& f) {
  take.needed_real("a rate in Hz", sensor::kLeastRate, sensor::kMostRate, f.rate);
  take.next_word(kRateWords, f.kernel);
  take.real("from", sensor::kLeastRate, sensor::kMostRate, f.believed);
}

void read_window(Taker& take, sensor::FrontEnd& f) {
  take.needed_whole("a number of steps", 1, kMostLength, f.length);
  take.whole("offset", -kMostLength, kMostLength, f.offset);
  take.word("at", kAtWords, f.at_end);
  take.word("fill", kWindowFillWords, f.fill);
  take.whole("roll", -kMostLength, kMostLength, f.roll);
  take.whole("kept", 1, kMostLength, f.kept);
  take.word("order", kStepOrderWords, f.newest_first);
}

void read_normalize_of_readings(Taker& take, sensor::FrontEnd& f) {
  std::vector<double> low, high;
  take.list("mean", -1e12, 1e12, f.mean);
  take.list("std", -1e12, 1e12, f.std);
  take.list("low", -1e12, 1e12, low);
  take.list("high", -1e12, 1e12, high);
  take.word("window", kOwnWords, f.own);
  take.word("over", kOverWords, f.over_all);
  Arguments& arguments = take.arguments();
  if (low.size() != high.size())
    take.keep(arguments.error(arguments.at(), "low= and high= go together, one each an axis"));
  if (!low.empty() && low.size() == high.size()) {
    f.mean = low;
    f.std.clear();
    for (std::size_t a = 0; a < low.size(); ++a) f.std.push_back(high[a] - low[a]);
  }
  if (std::find(f.std.begin(), f.std.end(), 0) != f.std.end())
    take.keep(arguments.error(arguments.at(), "nothing is divided by 0"));
}

void read_quantize_of_readings(Taker& take, sensor::FrontEnd& f) {
  static constexpr std::array kModel{Word<bool>{"model", true}};
  f.quantize = true;
  bool of_model = false;
  take.next_word(kModel, of_model);
  double scale = -1;
  int zero = -40000;
  take.real("scale", 1e-30, 1e30, scale);
  take.whole("zero_point", -32768, 65535, zero);
  if (scale > 0) f.code_scale = scale;
  if (zero > -40000) f.code_zero = zero;
  take.word("round", kReadingsCodesWords, f.codes);
  take.word("sign", kSignWords, f.sign_flipped);
}

struct ReadingsStep {
  std::string_view name;
  void (*read)(Taker&, sensor::FrontEnd&);
};
/// In the order in which they run.
constexpr std::array<ReadingsStep, 7> kSteps{{
    {"axes", read_axes},
    {"scale", read_scale_of_readings},
    {"rate", read_rate},
    {"window", read_window},
    {"normalize", read_normalize_of_readings},
    {"layout",
     [](Taker& take, sensor::FrontEnd& f) { take.next_word(kReadingsLayoutWords, f.axes_first); }},
    {"quantize", read_quantize_of_readings},
}};

bool counts_steps(const StepText& step) {
  return step.name == "window" && !step.arguments.empty() &&
         !step.arguments.front().value.empty() &&
         std::isdigit(static_cast<unsigned char>(step.arguments.front().value.front()));
}

}  // namespace

bool is_of_readings(const RecipeText& recipe) {
  return std::any_of(recipe.steps.begin(), recipe.steps.end(), [](const StepText& step) {
    return step.name == "axes" || step.name == "rate" || counts_steps(step);
  });
}

Result<Readings> read_readings(std::string_view text, const RecipeText& recipe) {
  Readings readings;
  std::ptrdiff_t last = -1;
  for (const StepText& step : recipe.steps) {
    Arguments arguments(text, step);
    const auto at = std::find_if(kSteps.begin(), kSteps.end(), [&](const ReadingsStep& known) {
      return known.name == step.name;
    });
    if (at == kSteps.end()) {
      Error unknown = recipe::unknown_step(arguments, step, kSteps);
      unknown.what += "; this is a recipe of a sensor's readings, which has no other steps";
      return unknown;
    }
    const std::ptrdiff_t rank = at - kSteps.begin();
    if (rank <= last)
      return arguments.error(
          step.at,
          std::string(step.name) +
              (rank == last
                   ? " is given twice"
                   : " runs before " + std::string(kSteps[static_cast<std::size_t>(last)].name) +
                         ": put it there"));
    last = rank;
    Taker take(arguments);
    at->read(take, readings.front_end);
    if (auto done = take.done(); !done) return std::move(done).error();
    if (auto done = arguments.finish(); !done) return std::move(done).error();
  }
  if (auto good = sensor::check(readings.front_end); !good)
    return Error{ErrorKind::kUsage, "recipe: " + good.error().what};
  return readings;
}

}  // namespace edgeprobe::preprocess
