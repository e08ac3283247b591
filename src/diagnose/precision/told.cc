// SPDX-License-Identifier: Apache-2.0
#include "diagnose/precision/told.h"

#include <algorithm>
#include <cmath>

#include "core/evenly_spaced.h"

namespace edgeprobe::diagnose {
namespace {

using precision::Match;
using precision::Scheme;
using precision::StepFit;

// Number of steps on which candidates are tried; the best one is then checked on all steps.
constexpr std::size_t kTried = 12;
constexpr std::size_t kLeastLayers = 2;
// Largest ratio of the distance from a scheme to the next scheme's distance from it.
constexpr double kNear = 0.25;
// Fractions of the steps that can distinguish the ways of summing.
constexpr double kMost = 0.75, kAlmost = 0.9;
// Candidates cannot be distinguished if their distances differ by less than a quarter, or by no
// more than the order of summation changes.
constexpr double kFarther = 1.25, kOrder = 1e-5;
// Fraction of a unit in the last place below which two ways of adding up produce the same values.
constexpr double kOfUnit = 0.1;
constexpr std::size_t kLeastDenormal = 20;
constexpr double kFlushed = 0.9;

std::vector<Scheme> adding_ways(Scheme stored) {
  if (stored == Scheme::kBFloat16) return {Scheme::kBFloat16};
  return {Scheme::kFloat16, Scheme::kFloat16Sums, Scheme::kFloat16Blocks};
}

constexpr Scheme kProducts[] = {Scheme::kTf32, Scheme::kTf32Cut, Scheme::kFloat16Products,
                                Scheme::kBFloat16Products};

std::vector<std::size_t> tried_steps(const Recording& recorded) {
  std::vector<std::size_t> some;
  if (recorded.frames.empty()) return some;
  const auto all = precision::recorded_products(*recorded.runner, recorded.frames.front());
  for (const std::size_t i : evenly_spaced(all.size(), kTried)) some.push_back(all[i]);
  return some;
}

std::vector<precision::Values> first_frame(const Recording& recorded) {
  return {recorded.frames.begin(), recorded.frames.begin() + (recorded.frames.empty() ? 0 : 1)};
}

/// Number of steps that vote for a candidate, and its distances over them.
struct Vote {
  std::size_t layers = 0;
  double apart = 0, shift = 0;

  void add(const StepFit& step) {
    ++layers;
    apart += step.apart * step.apart, shift += step.shift * step.shift;
  }
  double mean(double sum) const {
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, layers)));
  }
};

// True if another candidate fits almost as well as the chosen one.
bool is_as_near(const Vote& other, const Told& told) {
  return static_cast<double>(other.layers) >= kAlmost * static_cast<double>(told.layers) &&
         other.mean(other.apart) <= kFarther * told.distance + kOrder;
}

void take(const Vote& vote, Told& told) {
  told.layers = vote.layers;
  told.distance = vote.mean(vote.apart);
  told.shift = vote.mean(vote.shift);
}

// fits[0] adds up in float32. Without a majority the question stays open: the device's order of
// terms is unknown, and another order changes half of the roundings.
void tell_sums(const std::vector<precision::Fit>& fits, Told& told) {
  std::vector<Vote> votes(fits.size());
  std::size_t telling = 0;
  for (std::size_t s = 0; s < fits[0].steps.size(); ++s) {
    double next = -1;  // Smallest distance of any other way to add up.
    for (std::size_t i = 1; i < fits.size(); ++i) {
      const double beside = fits[i].steps[s].beside;
      if (next < 0 || beside < next) next = beside;
    }
    const StepFit& plain = fits[0].steps[s];
    if (!plain.adds || next < kOfUnit * plain.unit) continue;
    ++telling;
    if (plain.apart <= kNear * next) votes[0].add(plain);
    for (std::size_t i = 1; i < fits.size(); ++i)
      if (fits[i].steps[s].apart <= kNear * fits[i].steps[s].beside) votes[i].add(fits[i].steps[s]);
  }
  const auto most = std::max_element(
      votes.begin(), votes.end(), [](const Vote& a, const Vote& b) { return a.layers < b.layers; });
  const bool is_told = most->layers >= kLeastLayers &&
                       static_cast<double>(most->layers) >= kMost * static_cast<double>(telling);
  const std::size_t best = is_told ? static_cast<std::size_t>(most - votes.begin()) : 0;
  told.scheme = fits[best].scheme;
  take(votes[best], told);
  for (std::size_t i = 0; i < fits.size(); ++i)
    if (i != best && (!is_told || static_cast<double>(votes[i].layers) >=
                                      kAlmost * static_cast<double>(votes[best].layers)))
      told.undecided.push_back(fits[i].scheme);
}

// Denormal values are few and small: counts them, since distances do not show them.
void tell_flush(Told& told) {
  if (told.fit.denormal < kLeastDenormal) return;
  const double share =
      static_cast<double>(told.fit.flushed) / static_cast<double>(told.fit.denormal);
  if (share >= kFlushed) told.flushes = true;
  else if (share <= 1 - kFlushed) told.flushes = false;
  if (told.flushes.value_or(false) && told.scheme == Scheme::kFloat16 && told.undecided.empty())
    told.scheme = Scheme::kFloat16Flushed;
}

// TF32 with ties to even and binary16 differ only in range. If binary16 fits best, TF32 with the
// other rule for ties is off only for the few midway numbers, and was not ruled out.
Status tell_ties(Recording& recorded, const std::vector<std::size_t>& tried, Told& told,
                 const Control& control) {
  const auto& others = told.undecided;
  if (told.scheme != Scheme::kFloat16Products ||
      std::find(others.begin(), others.end(), Scheme::kTf32) != others.end())
    return {};
  EP_TRY(auto even, precision::fits(*recorded.runner, first_frame(recorded), {Scheme::kTf32Even},
                                    tried, control));
  Vote vote;
  for (const StepFit& step : even.front().steps)
    if (match_of(step, Scheme::kTf32Even) == Match::kScheme) vote.add(step);
  if (is_as_near(vote, told)) told.undecided.push_back(Scheme::kTf32);
  return {};
}

Status hold_to_all(Recording& recorded, Told& told, const Control& control) {
  EP_TRY(auto whole,
         precision::fits(*recorded.runner, recorded.frames, {told.scheme}, {}, control));
  told.fit = std::move(whole.front());
  return {};
}

}  // namespace

std::vector<std::size_t> Told::unexplained() const {
  std::vector<std::size_t> all;
  for (const StepFit& step : fit.steps)
    if (match_of(step, fit.scheme) == Match::kNeither) all.push_back(step.step);
  return all;
}

std::vector<std::size_t> Told::exact() const {
  std::vector<std::size_t> all;
  for (const StepFit& step : fit.steps)
    if (match_of(step, fit.scheme) == Match::kFloat32) all.push_back(step.step);
  return all;
}

std::string Told::format() const {
  std::string text = name(scheme);
  if (undecided.empty()) return text;
  for (std::size_t i = 0; i < undecided.size(); ++i)
    text += (i + 1 == undecided.size() ? " and " : ", ") + std::string(name(undecided[i]));
  return "undecided between " + text;
}

Result<Told> told_of_stored(Recording& recorded, const Telltale& found, const Control& control) {
  Told told;
  told.scheme = found.scheme;
  const std::vector<Scheme> schemes = adding_ways(found.scheme);
  if (schemes.size() > 1) {
    EP_TRY(auto all, precision::fits(*recorded.runner, first_frame(recorded), schemes,
                                     tried_steps(recorded), control));
    tell_sums(all, told);
  }
  EP_CHECK(hold_to_all(recorded, told, control));
  if (found.scheme == Scheme::kFloat16) tell_flush(told);
  return told;
}

Result<std::optional<Told>> told_of_products(Recording& recorded, const Control& control) {
  const std::vector<Scheme> schemes(std::begin(kProducts), std::end(kProducts));
  const std::vector<std::size_t> tried = tried_steps(recorded);
  if (tried.size() < kLeastLayers) return std::optional<Told>{};
  EP_TRY(auto all,
         precision::fits(*recorded.runner, first_frame(recorded), schemes, tried, control));
  std::vector<Vote> votes(all.size());
  std::size_t off = 0;
  for (std::size_t s = 0; s < all.front().steps.size(); ++s) {
    off += all.front().steps[s].seen > 2 * kOrder;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (match_of(all[i].steps[s], schemes[i]) == Match::kScheme) votes[i].add(all[i].steps[s]);
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < votes.size(); ++i)
    if (votes[i].layers > votes[best].layers ||
        (votes[i].layers == votes[best].layers &&
         votes[i].mean(votes[i].apart) + kOrder < votes[best].mean(votes[best].apart)))
      best = i;
  // There may be another fault as well, but not in most layers.
  if (votes[best].layers < kLeastLayers || votes[best].layers * 2 < off)
    return std::optional<Told>{};
  Told told;
  told.products = true;
  told.scheme = schemes[best];
  take(votes[best], told);
  for (std::size_t i = 0; i < votes.size(); ++i)
    if (i != best && is_as_near(votes[i], told)) told.undecided.push_back(schemes[i]);
  EP_CHECK(tell_ties(recorded, tried, told, control));
  EP_CHECK(hold_to_all(recorded, told, control));
  return std::optional(std::move(told));
}

}  // namespace edgeprobe::diagnose
