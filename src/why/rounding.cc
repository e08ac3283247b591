// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "core/text.h"
#include "why/codes.h"
#include "why/pixels.h"

namespace edgeprobe::why {
namespace {

/// Maximum steps between two roundings of one resize, overall and for a single value.
constexpr double kInvisible = 0.62, kMostSteps = 2.01;

/// Fewer levels than those of a picture: masks, classes and scores, where one step is not rounding.
constexpr std::size_t kFewestLevels = 32;
bool has_few_levels(const std::vector<float>& values) {
  std::set<float> levels;
  for (const float value : values)
    if (levels.insert(value).second && levels.size() >= kFewestLevels) return false;
  return true;
}

/// One offset everywhere is a shift, not rounding.
bool is_shift(const Sides& sides, double step) {
  const double first = (double(sides.fed[0]) - double(sides.wanted()[0])) / step;
  if (std::abs(first) < 0.5) return false;
  for (std::size_t i = 0; i < sides.fed.size(); ++i)
    if (std::abs((double(sides.fed[i]) - double(sides.wanted()[i])) / step - first) > 0.02)
      return false;
  return true;
}

/// Differences in steps.
struct Steps {
  double low = 0, high = 0, sum = 0, squares = 0;
  std::size_t count = 0;

  void add(double d) {
    low = std::min(low, d), high = std::max(high, d);
    sum += d, squares += d * d;
    ++count;
  }
  double mean() const { return sum / double(count); }
  double deviation() const {
    return std::sqrt(std::max(0.0, squares / double(count) - mean() * mean()));
  }
  Steps exchanged() const { return {-high, -low, -sum, squares, count}; }
};

/// Two libraries' whole pixels of one resize deviate by less.
constexpr double kMostDeviation = 0.45;

/// How real numbers became whole ones, if their fractions are spread over a whole step, as those of
/// a resize are. Noise, or numbers of fewer bits, leave other fractions.
std::string rounding_of(const Steps& of_whole, const std::string& who) {
  constexpr double kSpread = 0.289, kNear = 0.045, kEdge = 0.02;
  if (std::abs(of_whole.deviation() - kSpread) > kNear) return "";
  const double mean = of_whole.mean();
  if (of_whole.high <= kEdge && std::abs(mean + 0.5) < 0.1)
    return who + "rounded down to whole pixels";
  if (of_whole.low >= -kEdge && std::abs(mean - 0.5) < 0.1)
    return who + "rounded up to whole pixels";
  if (std::max(-of_whole.low, of_whole.high) <= 0.5 + kEdge && std::abs(mean) < 0.1)
    return who + "rounded to whole pixels";
  return "";
}

}  // namespace

std::optional<Answer> by_rounding(const Sides& sides) {
  if (!sides.picture || has_few_levels(sides.fed) || has_few_levels(sides.wanted()))
    return std::nullopt;
  const auto pairs = pairs_of(sides);
  const Distance distance = distance_of(sides);
  if (distance.app_not_finite || distance.reference_not_finite) return std::nullopt;
  const bool are_whole = is_integer(sides.app.spec.dtype) && is_integer(sides.reference.spec.dtype);
  double step = 1;
  bool mine_on_steps = are_whole, theirs_on_steps = are_whole;
  if (are_whole && !pairs.codes) return std::nullopt;
  if (!are_whole) {
    diagnose::PictureLayout of_app = *sides.picture;
    if (sides.fit == Fit::kPlanar) of_app.planar = !of_app.planar;
    const auto theirs = pixels_of(sides.reference, *sides.picture, sides.frames),
               mine = pixels_of(sides.app, of_app, sides.frames);
    if (!mine && !theirs) return std::nullopt;
    // Two usual ranges may differ by less than a step.
    if (mine && theirs && mine->range.name != theirs->range.name) return std::nullopt;
    step = theirs ? theirs->step : mine->step;
    mine_on_steps = mine.has_value();
    theirs_on_steps = theirs.has_value();
  }
  if (is_shift(sides, step)) return std::nullopt;
  if (distance.largest > 1.02 * step) {
    if (distance.largest > kMostSteps * step || distance.rms > kInvisible * step)
      return std::nullopt;
    return agreed(
        "equal but for less than two libraries round apart: " + number(distance.rms / step, 2) +
        " gray steps (RMS), " + number(distance.largest / step, 2) + " at most");
  }
  Steps steps;
  for (std::size_t i = 0; i < sides.fed.size(); ++i)
    steps.add((double(sides.fed[i]) - double(sides.wanted()[i])) / step);
  const bool on_one_side = mine_on_steps != theirs_on_steps;
  // Two roundings of one resize; noise of a step is something else.
  if (on_one_side && steps.deviation() > kMostDeviation) return std::nullopt;
  std::string how;
  if (on_one_side)
    how = rounding_of(mine_on_steps ? steps : steps.exchanged(),
                      mine_on_steps ? "the app's values are the reference's, "
                                    : "the reference's values are the app's, ");
  else if (steps.high == 0)
    how = "the app's are one lower or the same, as where the app cuts off and the reference rounds";
  else if (steps.low == 0)
    how =
        "the app's are one higher or the same, as where the reference cuts off and the app rounds";
  Answer out;
  out.outcome = diagnose::Outcome::kAgrees;
  out.headline =
      "equal up to rounding: the values differ by at most " +
      std::string(are_whole ? "1 code" : number(distance.largest / step, 2) + " gray steps") +
      (how.empty() ? "" : "; " + how);
  return out;
}

}  // namespace edgeprobe::why
