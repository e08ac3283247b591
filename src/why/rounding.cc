// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "why/codes.h"
#include "why/pixels.h"

namespace edgeprobe::why {
namespace {

/// Maximum steps between two roundings of one resize, overall and for a single value.
constexpr double kInvisible = 0.62, kMostSteps = 2.01;

}  // namespace

std::optional<Answer> by_rounding(const Sides& sides) {
  const auto pairs = pairs_of(sides);
  const Distance distance = distance_of(sides);
  if (distance.app_not_finite || distance.reference_not_finite) return std::nullopt;
  const bool are_whole = is_integer(sides.app.spec.dtype) && is_integer(sides.reference.spec.dtype);
  double step = 1;
  bool mine_on_steps = are_whole, theirs_on_steps = are_whole;
  if (are_whole && !pairs.codes) return std::nullopt;
  if (!are_whole) {
    if (!sides.picture) return std::nullopt;
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
  if (distance.largest > 1.02 * step) {
    if (distance.largest > kMostSteps * step || distance.rms > kInvisible * step)
      return std::nullopt;
    Answer out;
    out.outcome = diagnose::Outcome::kAgrees;
    out.headline =
        "equal but for less than two libraries round apart: " + number(distance.rms / step, 2) +
        " gray steps (RMS), " + number(distance.largest / step, 2) + " at most";
    return out;
  }
  double low = 0, high = 0, sum = 0;
  for (std::size_t i = 0; i < sides.fed.size(); ++i) {
    const double d = (double(sides.fed[i]) - double(sides.wanted()[i])) / step;
    low = std::min(low, d);
    high = std::max(high, d);
    sum += d;
  }
  Answer out;
  out.outcome = diagnose::Outcome::kAgrees;
  const double mean = sum / double(sides.fed.size());
  std::string how;
  if (mine_on_steps != theirs_on_steps) {
    const double app_low = mine_on_steps ? low : -high, app_high = mine_on_steps ? high : -low;
    const std::string who = mine_on_steps ? "the app's values are the reference's, "
                                          : "the reference's values are the app's, ";
    if (app_high <= 0.02 && mean != 0) how = who + "rounded down to whole pixels";
    else if (std::max(-app_low, app_high) <= 0.51) how = who + "rounded to whole pixels";
    else if (app_low >= -0.02) how = who + "rounded up to whole pixels";
  } else if (high == 0) {
    how = "the app's are one lower or the same, as where the app cuts off and the reference rounds";
  } else if (low == 0) {
    how =
        "the app's are one higher or the same, as where the reference cuts off and the app rounds";
  }
  out.headline =
      "equal up to rounding: the values differ by at most " +
      std::string(are_whole ? "1 code" : number(distance.largest / step, 2) + " gray steps") +
      (how.empty() ? "" : "; " + how);
  return out;
}

}  // namespace edgeprobe::why
