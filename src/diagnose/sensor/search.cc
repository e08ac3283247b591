// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/search.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "diagnose/sensor/fit.h"
#include "diagnose/sensor/members.h"
#include "diagnose/sensor/naming.h"
#include "diagnose/sensor/places.h"
#include "diagnose/sensor/structures.h"

namespace edgeprobe::diagnose::sensor {
namespace {

using readings::FrontEnd;

/// Largest number of structural changes; each may be combined with one of axes, units or
/// normalisation.
constexpr std::size_t kMostStructural = 2;
/// Largest number of equal explanations that are reported.
constexpr std::size_t kMostEquals = 8;
/// Largest number of front ends to run: inputs that are almost fully clipped fit any line, so they
/// have many candidates.
constexpr std::size_t kMostEvaluations = 5000;
/// Residual of a right front end with another rounding, in code steps.
constexpr double kOtherRounding = 1.2;
/// Limit for coded inputs and a front end without measured values. The right one reproduces all
/// codes except ties, and with few codes a wrong one comes close.
constexpr double kNamedCodes = 0.05;
/// Fraction of values at an end of their range above which hardly any line is visible.
constexpr double kMostlyCutOff = 0.6;

struct Explanation {
  FrontEnd app;
  double cost = 0;  ///< Number of kinds, plus the cost of measured values.
  double left = 0;
};

/// The cheapest of the explanations found.
class Cheapest {
 public:
  bool takes(const Candidate& candidate, double cost) const {
    // Rejects candidates that cost more than those found.
    if (!all_.empty() && cost > cost_ + kSameCost) return false;
    return std::none_of(all_.begin(), all_.end(),
                        [&](const Explanation& known) { return known.app == candidate.app; });
  }
  void add(Explanation one) {
    cost_ = all_.empty() ? one.cost : std::min(cost_, one.cost);
    all_.push_back(std::move(one));
  }
  bool any() const { return !all_.empty(); }
  /// Smallest residual first.
  std::vector<Explanation> sorted() const {
    std::vector<Explanation> out;
    for (const Explanation& one : all_)
      if (one.cost <= cost_ + kSameCost) out.push_back(one);
    std::stable_sort(out.begin(), out.end(),
                     [](const Explanation& a, const Explanation& b) { return a.left < b.left; });
    return out;
  }

 private:
  static constexpr double kSameCost = 1e-9;
  std::vector<Explanation> all_;
  double cost_ = 0;
};

/// Tries candidates and collects those that reproduce the inputs.
class Trials {
 public:
  explicit Trials(const Problem& problem) : problem_(problem) {}

  void propose(const Candidate& candidate) {
    const double cost =
        static_cast<double>(kinds_between(candidate.app, problem_.reference()).size()) +
        candidate.measured;
    Cheapest& among = candidate.measured > 0 && problem_.observations() < 2 ? measured_ : exact_;
    if (!among.takes(candidate, cost)) return;
    if (evaluations_ >= kMostEvaluations) return;
    ++evaluations_;
    const double left = problem_.score(candidate.app);
    const double limit =
        problem_.is_coded() && candidate.measured == 0 ? kNamedCodes : problem_.tau();
    if (left > limit) {
      if (problem_.is_coded() && left < kOtherRounding) propose_roundings(candidate);
      return;
    }
    among.add({candidate.app, cost, left});
  }

  const Cheapest& exact() const { return exact_; }
  /// Explanations with measured values, which a single window cannot distinguish from its own
  /// statistics.
  const Cheapest& measured() const { return measured_; }
  std::size_t evaluations() const { return evaluations_; }

 private:
  void propose_roundings(const Candidate& candidate) {
    using readings::Codes;
    if (candidate.app.codes != problem_.reference().codes) return;
    for (const Codes codes :
         {Codes::kNearest, Codes::kHalfEven, Codes::kFloor, Codes::kTruncated}) {
      Candidate other = candidate;
      other.app.codes = codes;
      if (codes != candidate.app.codes) propose(other);
    }
  }

  const Problem& problem_;
  Cheapest exact_, measured_;
  std::size_t evaluations_ = 0;
};

/// The columns of every observation under that structure; nothing if it does not apply.
std::optional<std::vector<Shown>> shown_by(const Problem& problem, const FrontEnd& f) {
  FrontEnd columns = f;
  columns.axes.clear();
  columns.mean = {0};
  columns.std = {1};
  columns.scale = {1};
  columns.axes_last = false;
  // Zeros that are filled in after the normalisation are not values of the readings.
  if (columns.fill == readings::Fill::kZeroLast) columns.fill = readings::Fill::kZero;
  std::vector<Shown> shown;
  for (std::size_t k = 0; k < problem.observations(); ++k) {
    const auto at_rate = readings::at_rate(problem.series(k), columns);
    if (!at_rate) return std::nullopt;
    const auto window = readings::window_of(*at_rate, columns);
    if (!window || window->steps != problem.steps()) return std::nullopt;
    auto values = readings::values_of(*window, columns);
    if (!values) return std::nullopt;
    shown.push_back({*std::move(values), readings::filled_steps(at_rate->steps, columns)});
  }
  return shown;
}

/// Fits lines for each known rounding of the codes, which is more exact.
void try_roundings(const Problem& problem, const FrontEnd& structure, const Fit& lines,
                   const std::vector<Shown>& shown, const Reading& reading, Trials& trials) {
  using readings::Codes;
  for (const Codes codes : {Codes::kNearest, Codes::kFloor, Codes::kTruncated}) {
    FrontEnd f = structure;
    f.codes = codes == Codes::kNearest ? problem.reference().codes : codes;
    for (const Candidate& candidate :
         named(problem, f, refined(problem, shown, reading, lines, codes)))
      trials.propose(candidate);
  }
}

/// Statistics over all axes depend on which axes those are: fits lines to the raw readings to find
/// out.
void try_over_all(const Problem& problem, const FrontEnd& structure, const Reading& reading,
                  Trials& trials) {
  FrontEnd alone = structure;
  alone.own = readings::Own::kNone;
  auto shown = shown_by(problem, alone);
  if (!shown) return;
  shown->resize(1);  // Each window has different statistics.
  const Fit lines = fit(problem, *shown, reading);
  if (lines.left > problem.fit_tau()) return;
  FrontEnd f = structure;
  for (std::size_t a = 0; a < f.axes.size(); ++a)
    if (lines.axes[a].known)
      f.axes[a] = {static_cast<int>(lines.axes[a].of),
                   (lines.axes[a].slope < 0) != (f.scale[a] / f.std[a] < 0)};
  for (const Candidate& candidate : unfitted(problem, f)) trials.propose(candidate);
}

/// Fraction of the values at an end of their range.
double cut_off(const Problem& problem, const Reading& reading) {
  std::size_t cut = 0, all = 0;
  for (std::size_t k = 0; k < problem.observations() && problem.is_coded(); ++k)
    for (const bool one : problem.saturated(k, reading)) cut += one, ++all;
  return all > 0 ? static_cast<double>(cut) / static_cast<double>(all) : 0;
}

void try_structure(const Problem& problem, const FrontEnd& f, const Reading& reading,
                   Trials& trials) {
  for (const Candidate& candidate : unfitted(problem, f)) trials.propose(candidate);
  if (f.own != readings::Own::kNone && f.over_all) try_over_all(problem, f, reading, trials);
  if (cut_off(problem, reading) > kMostlyCutOff)
    for (const Candidate& candidate : beyond_range(problem, f)) trials.propose(candidate);
  const auto shown = shown_by(problem, f);
  if (!shown) return;
  const Fit lines = fit(problem, *shown, reading);
  if (lines.left <= problem.fit_tau()) {
    for (const Candidate& candidate : named(problem, f, lines)) trials.propose(candidate);
    if (problem.is_coded()) try_roundings(problem, f, lines, *shown, reading, trials);
    return;
  }
  if (!jumps(problem, reading)) return;
  const Fit wrapped = fit_wrapped(problem, *shown, reading);
  if (wrapped.left > problem.fit_tau()) return;
  FrontEnd round = f;
  round.codes = readings::Codes::kWrap;
  for (const Candidate& candidate : named(problem, round, wrapped)) trials.propose(candidate);
}

}  // namespace

Result<Found> search(const Problem& problem, const Control& control) {
  Found found;
  found.app = problem.reference();
  found.before = found.left = problem.score(problem.reference());
  if (problem.is_destroyed()) {
    found.status = Found::Status::kDestroyed;
    return found;
  }
  if (found.before <= problem.tau()) {
    found.status = Found::Status::kEqual;
    return found;
  }
  Trials trials(problem);
  for (const Candidate& candidate : listed(problem)) trials.propose(candidate);
  const Structures all = structures(problem);
  for (std::size_t most = 1; most <= kMostStructural && !trials.exact().any(); ++most)
    for (std::size_t r = 0; r < all.readings.size(); ++r)
      for (std::size_t o = 0; o < all.orders.size(); ++o)
        for (std::size_t i = 0; i < all.rates.size(); ++i) {
          if (control.stopped()) return interrupted();
          if (trials.evaluations() >= kMostEvaluations) break;
          const std::size_t changed =
              std::size_t{r != 0} + std::size_t{o != 0} + std::size_t{i != 0};
          if (changed > most) continue;
          FrontEnd base = combined(all.rates[i], all.owns.front(), all.orders[o], all.readings[r]);
          std::vector<FrontEnd> placed{base};
          if (o != 0 || changed < most)
            for (FrontEnd& one : places(problem, base, all.readings[r]))
              placed.push_back(std::move(one));
          for (const FrontEnd& place : placed)
            for (std::size_t w = 0; w < all.owns.size(); ++w) {
              const std::size_t with =
                  changed + std::size_t{w != 0} + std::size_t{!(place == base) && o == 0};
              if (with > most) continue;
              FrontEnd f = place;
              f.own = all.owns[w].own;
              f.over_all = all.owns[w].over_all;
              try_structure(problem, f, all.readings[r], trials);
            }
        }
  found.evaluations = trials.evaluations();
  const bool named = trials.exact().any();
  const auto best = named ? trials.exact().sorted() : trials.measured().sorted();
  if (best.empty()) return found;
  found.status = named ? Found::Status::kExact : Found::Status::kMeasured;
  found.app = best.front().app;
  found.left = best.front().left;
  for (const Explanation& other : best)
    if (found.equals.size() < kMostEquals && !(other.app == found.app) &&
        kinds_between(other.app, found.app).size() > 0)
      found.equals.push_back(other.app);
  return found;
}

}  // namespace edgeprobe::diagnose::sensor
