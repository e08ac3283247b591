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

/// Of changes of the structure; each may come with one of axes, units or normalisation.
constexpr std::size_t kMostStructural = 2;
/// Explanations that are told as equal to the one that was chosen.
constexpr std::size_t kMostEquals = 8;
/// Front ends that are run; inputs that are cut off nearly everywhere fit any line.
constexpr std::size_t kMostEvaluations = 5000;
/// In steps of codes: what another rounding leaves.
constexpr double kOtherRounding = 1.2;

struct Explanation {
  FrontEnd app;
  double cost = 0;  ///< Kinds, and what is measured in them.
  double left = 0;
};

/// What is tried, and what of it reproduces the inputs.
class Trials {
 public:
  explicit Trials(const Problem& problem) : problem_(problem) {}

  void propose(const Candidate& candidate) {
    const double cost =
        static_cast<double>(kinds_between(candidate.app, problem_.reference()).size()) +
        candidate.measured;
    // Nothing dearer than what is found is looked at.
    if (!exact_.empty() && cost > best_cost_ + 1e-9) return;
    for (const Explanation& known : exact_)
      if (known.app == candidate.app) return;
    if (evaluations_ >= kMostEvaluations) return;
    ++evaluations_;
    const double left = problem_.score(candidate.app);
    if (left > problem_.tau()) {
      if (problem_.is_coded() && left < kOtherRounding) propose_roundings(candidate);
      return;
    }
    best_cost_ = exact_.empty() ? cost : std::min(best_cost_, cost);
    exact_.push_back({candidate.app, cost, left});
  }

  /// The cheapest, and of those what leaves least.
  std::vector<Explanation> best() const {
    std::vector<Explanation> out;
    for (const Explanation& one : exact_)
      if (one.cost <= best_cost_ + 1e-9) out.push_back(one);
    std::stable_sort(out.begin(), out.end(),
                     [](const Explanation& a, const Explanation& b) { return a.left < b.left; });
    return out;
  }
  bool any() const { return !exact_.empty(); }
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
  std::vector<Explanation> exact_;
  double best_cost_ = 0;
  std::size_t evaluations_ = 0;
};

/// The columns of every observation as that structure shows them; nothing where it cannot.
std::optional<std::vector<Shown>> shown_by(const Problem& problem, const FrontEnd& f) {
  FrontEnd columns = f;
  columns.axes.clear();
  columns.mean = {0};
  columns.std = {1};
  columns.scale = {1};
  columns.axes_last = false;
  // Behind the normalisation zeros are no values of the readings.
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

void try_structure(const Problem& problem, const FrontEnd& f, const Reading& reading,
                   Trials& trials) {
  for (const Candidate& candidate : unfitted(problem, f)) trials.propose(candidate);
  const auto shown = shown_by(problem, f);
  if (!shown) return;
  const Fit lines = fit(problem, *shown, reading);
  if (lines.left > problem.fit_tau()) return;
  for (const Candidate& candidate : named(problem, f, lines)) trials.propose(candidate);
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
  for (std::size_t most = 1; most <= kMostStructural && !trials.any(); ++most)
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
  const auto best = trials.best();
  if (best.empty()) return found;
  found.status = Found::Status::kExact;
  found.app = best.front().app;
  found.left = best.front().left;
  for (const Explanation& other : best)
    if (found.equals.size() < kMostEquals && !(other.app == found.app) &&
        kinds_between(other.app, found.app).size() > 0)
      found.equals.push_back(other.app);
  return found;
}

}  // namespace edgeprobe::diagnose::sensor
