// SPDX-License-Identifier: Apache-2.0
#include "why/by_values.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text.h"
#include "diagnose/input/parts/parts.h"
#include "diagnose/tensors/axes.h"
#include "diagnose/tensors/changes.h"
#include "diagnose/tensors/where.h"
#include "why/filled.h"
#include "why/pixels.h"
#include "why/relative.h"

namespace edgeprobe::why {
namespace {

namespace tensors = diagnose::tensors;
using diagnose::CauseKind;
using tensors::Change;
using tensors::Pairs;

/// Minimum number of values that differ from the reference's, so that a change is visible.
constexpr std::size_t kFewestChanged = 8;
/// Distinct values needed to distinguish rows and columns.
constexpr std::size_t kFewestDistinct = 6;
/// Minimum spread of the values, in steps of the tolerance, so that they are not all equal.
constexpr double kFewestSteps = 1.5;

Left all_within(const char* unit) { return {1, 1, 0, unit}; }

Answer answer_of(const Pairs& pairs, Change change) {
  Answer out = named(change.kind, "the app's tensor " + without_model(change.detail),
                     all_within(pairs.codes ? "code" : "rounding of its type"));
  for (const std::string& other : change.alternatives)
    out.causes.front().alternatives.push_back(without_model(other));
  return out;
}

bool tells(const Pairs& pairs) {
  if (pairs.differs.empty()) return false;
  const tensors::Pair& pair = pairs.all.front();
  std::size_t changed = 0;
  std::set<float> distinct;
  const auto [low, high] = std::minmax_element(pair.fed.begin(), pair.fed.end());
  if (double(*high) - double(*low) < kFewestSteps * pairs.slack) return false;
  for (std::size_t i = 0; i < pair.fed.size(); ++i) {
    changed += !(std::abs(double(pair.fed[i]) - double(pair.wanted[i])) <= pairs.same);
    if (distinct.size() < kFewestDistinct) distinct.insert(pair.wanted[i]);
  }
  return changed >= kFewestChanged && distinct.size() >= kFewestDistinct;
}

/// "its rows in reverse order" and "its columns in reverse order" coincide for some tensors, and a
/// line through the values may be a third explanation.
std::vector<std::string> other_orders(const Pairs& pairs, const std::string& but) {
  std::vector<std::string> found;
  for (const tensors::Axis& axis : tensors::all_axes(pairs.shape)) {
    if (axis.size < 3) continue;  // Reversing two is the same as swapping them.
    const bool fits = tensors::reproduces(pairs, 1, [&](std::size_t at, std::size_t i) {
      return pairs.all[at].wanted[axis.moved(i, axis.size - 1 - axis.slice(i))];
    });
    const std::string text = "holds its " + axis.names() + " in reverse order";
    if (fits && text != but) found.push_back(text);
  }
  const std::size_t last = pairs.values() - 1;
  if (tensors::reproduces(
          pairs, 1, [&](std::size_t at, std::size_t i) { return pairs.all[at].wanted[last - i]; }))
    found.push_back("holds all its values in reverse order");
  return found;
}

/// A name is used only if nothing of another kind fits as well.
std::optional<Answer> checked(const Pairs& pairs, Change change) {
  std::vector<std::string> others;
  const bool is_of_places = change.kind == CauseKind::kLayout ||
                            change.kind == CauseKind::kAxisOrder ||
                            change.kind == CauseKind::kWindow;
  if (is_of_places) {
    others = other_orders(pairs, change.detail);
    if (const auto line = tensors::other_line(pairs)) others.push_back(line->detail);
  } else if (change.kind != CauseKind::kSampleFormat) {
    others = other_orders(pairs, "");
  }
  Answer out = answer_of(pairs, std::move(change));
  if (others.empty()) return out;
  for (const std::string& other : others)
    out.causes.front().alternatives.push_back("the app's tensor " + other);
  out.outcome = diagnose::Outcome::kUndecided;
  out.would_decide.push_back("a pair of other values: in these the explanations are one");
  return out;
}

/// Codes that wrap round come in at the other end; any others are only other values there.
bool come_in_at_other_end(const Pairs& pairs) {
  const tensors::Pair& pair = pairs.all.front();
  const double middle = (pairs.codes->least + pairs.codes->most) / 2;
  for (std::size_t i = 0; i < pair.fed.size(); ++i)
    if (pair.fed[i] != pair.wanted[i] &&
        (double(pair.fed[i]) > middle) == (double(pair.wanted[i]) > middle))
      return false;
  return true;
}

std::optional<Answer> change_of(const Sides& sides) {
  const Pairs pairs = pairs_of(sides);
  if (!tells(pairs)) return std::nullopt;
  auto change = tensors::change_of_all(pairs);
  if (is_scattered_fill(sides) && (!change || change->kind == CauseKind::kWindow)) {
    // No part of the tensor: only a function of the values is left.
    change = tensors::other_curve(pairs);
    if (!change) return std::nullopt;
  }
  // Numbers of fewer bits lie near a line with the slope of their rounding.
  if (change && is_of_bfloat16(sides.app) != is_of_bfloat16(sides.reference) &&
      change->detail.find("but for values that are") != std::string::npos)
    return std::nullopt;
  if (change && pairs.codes && change->detail.find("wrap") != std::string::npos &&
      !come_in_at_other_end(pairs))
    return std::nullopt;
  if (change) return checked(pairs, *std::move(change));
  if (auto some = tensors::change_of_some(pairs)) return checked(pairs, *std::move(some));
  return std::nullopt;
}

bool is_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

bool is_constant(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [&](float v) { return v == values.front(); });
}

std::string not_finite_text(const std::vector<float>& values) {
  std::size_t nan = 0, infinite = 0;
  for (const float v : values) nan += std::isnan(v), infinite += std::isinf(v);
  const std::string what = nan && infinite ? "NaN and infinity" : nan ? "NaN" : "infinity";
  return what + " in " + std::to_string(nan + infinite) + " of " + counted(values.size(), "value");
}

/// Numbers far beyond those of any model indicate the wrong byte order.
std::size_t wild_values(const std::vector<float>& values) {
  return std::size_t(std::count_if(values.begin(), values.end(), [](float v) {
    const double size = std::abs(double(v));
    return !std::isfinite(v) || size > 1e9 || (size > 0 && size < 1e-9);
  }));
}

/// True if `values` are the disordered ones of the two: wild, or rougher as a picture.
bool is_disordered(const std::vector<float>& values, const std::vector<float>& others,
                   const Sides& sides) {
  const std::size_t mine = wild_values(values), theirs = wild_values(others);
  if (mine != theirs) return mine > theirs;
  if (!sides.picture || sides.frames != 1) return false;
  return roughness(values, *sides.picture) > roughness(others, *sides.picture);
}

}  // namespace

std::optional<Answer> broken(const Sides& sides) {
  const bool mine = is_finite(sides.fed), theirs = is_finite(sides.wanted());
  if (mine != theirs) {
    const std::vector<float>& bad = mine ? sides.wanted() : sides.fed;
    const std::vector<float>& good = mine ? sides.fed : sides.wanted();
    std::size_t equal = 0, finite = 0;
    for (std::size_t i = 0; i < bad.size(); ++i)
      if (std::isfinite(bad[i])) ++finite, equal += bad[i] == good[i];
    Answer out = named(CauseKind::kNonFiniteInput,
                       std::string(mine ? "the reference's" : "the app's") + " tensor holds " +
                           not_finite_text(bad) + "; " + (mine ? "the app's" : "the reference's") +
                           " is finite",
                       {});
    out.left.reset();
    out.causes.front().explained_variance.reset();
    if (finite)
      out.facts.push_back({"Others", std::to_string(equal) + " of the " + std::to_string(finite) +
                                         " finite values are equal"});
    return out;
  }
  const bool flat = is_constant(sides.fed);
  if (sides.fed.size() < 2 || flat == is_constant(sides.wanted())) return std::nullopt;
  const float value = flat ? sides.fed.front() : sides.wanted().front();
  Answer out =
      named(CauseKind::kEmptyInput,
            std::string(flat ? "the app's" : "the reference's") + " tensor is " + number(value) +
                " everywhere; " + (flat ? "the reference's" : "the app's") + " is not",
            {});
  out.left.reset();
  out.causes.front().explained_variance.reset();
  out.causes.front().alternatives = {"the buffer was not written, or another one was handed over"};
  return out;
}

namespace {

/// One frame and the reference's; empty if all values are equal.
std::optional<diagnose::RecordedPictures> recorded_of(const Sides& sides) {
  if (!sides.picture || sides.frames != 1) return std::nullopt;
  diagnose::RecordedPictures recorded;
  recorded.layout = *sides.picture;
  if (const auto pixels = pixels_of(sides.reference, *sides.picture, 1)) {
    recorded.unit = pixels->step;
  } else {
    const auto [low, high] = std::minmax_element(sides.wanted().begin(), sides.wanted().end());
    recorded.unit = (double(*high) - double(*low)) / 255;
  }
  if (!(recorded.unit > 0)) return std::nullopt;
  recorded.near = 1.01 * recorded.unit;
  recorded.all = recorded.differing = 1;
  recorded.frames = {0};
  diagnose::RecordedPicture one;
  one.fed = as_rows(sides.fed.data(), recorded.layout);
  one.wanted = as_rows(sides.wanted().data(), recorded.layout);
  one.distance = distance_of(sides).rms / recorded.unit;
  recorded.distances = {one.distance};
  recorded.pictures.push_back(std::move(one));
  return recorded;
}

std::optional<Answer> answer_of(std::optional<diagnose::InputFault> fault) {
  if (!fault) return std::nullopt;
  Answer out = named(fault->kind, without_model(fault->detail), {});
  out.left.reset();
  out.causes.front().explained_variance.reset();
  for (const std::string& other : fault->alternatives)
    out.causes.front().alternatives.push_back(without_model(other));
  return out;
}

}  // namespace

std::optional<Answer> by_bytes(const Sides& sides) {
  const Pairs pairs = pairs_of(sides);
  if (pairs.differs.empty()) return std::nullopt;
  auto change = tensors::other_bytes(pairs);
  if (!change) return std::nullopt;
  Answer out = answer_of(pairs, *std::move(change));
  if (is_disordered(sides.wanted(), sides.fed, sides)) exchange_words(out);
  return out;
}

std::optional<Answer> by_moved_codes(const Sides& sides) {
  const Pairs pairs = pairs_of(sides);
  if (!pairs.codes || !tells(pairs)) return std::nullopt;
  auto change = tensors::other_line(pairs);
  if (!change || change->kind != CauseKind::kInputQuantization) return std::nullopt;
  return checked(pairs, *std::move(change));
}

std::optional<Answer> by_shift(const Sides& sides) {
  const auto recorded = recorded_of(sides);
  auto fault = recorded ? diagnose::moved_places(*recorded) : std::nullopt;
  if (!fault || fault->detail.find("the picture is moved by") == std::string::npos)
    return std::nullopt;
  return answer_of(std::move(fault));
}

std::optional<Answer> by_change(const Sides& sides) {
  if (auto out = change_of(sides)) return out;
  auto turned = change_of(exchanged(sides));
  if (turned) exchange_words(*turned);
  return turned;
}

std::optional<Answer> by_missing_part(const Sides& sides) {
  const auto recorded = recorded_of(sides);
  if (!recorded) return std::nullopt;
  auto fault = diagnose::channel_sources(*recorded);
  if (!fault) fault = diagnose::stale_parts(*recorded, diagnose::unequal_values(*recorded));
  if (fault && (fault->kind != CauseKind::kIncompleteInput || is_scattered_fill(sides)))
    return std::nullopt;
  return answer_of(std::move(fault));
}

std::optional<Answer> by_parts(const Sides& sides) {
  const auto recorded = recorded_of(sides);
  if (!recorded || is_scattered_fill(sides)) return std::nullopt;
  const diagnose::Unequal unequal = diagnose::unequal_values(*recorded);
  auto fault = diagnose::channel_sources(*recorded);
  if (!fault) fault = diagnose::stale_parts(*recorded, unequal);
  if (!fault) fault = diagnose::borders(*recorded, unequal);
  if (!fault) fault = diagnose::moved_places(*recorded);
  // A difference this small is noise, not a curve.
  constexpr double kVisible = 1;
  if (!fault && recorded->pictures.front().distance > kVisible)
    fault = diagnose::own_curves(*recorded);
  return answer_of(std::move(fault));
}

std::string place_of(const Sides& sides) {
  const Pairs pairs = pairs_of(sides);
  return pairs.differs.empty() ? "" : tensors::place_of(tensors::where_of(pairs));
}

}  // namespace edgeprobe::why
