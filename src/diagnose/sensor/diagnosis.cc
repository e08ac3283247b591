// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/diagnosis.h"

#include <algorithm>
#include <cmath>

#include "diagnose/preprocessing/model/front_end_faults.h"
#include "diagnose/sensor/members.h"
#include "diagnose/sensor/search.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose::sensor {
namespace {

using readings::FrontEnd;
using State = InputDiagnosis::Status;

/// Windows to search; the others only confirm or refute the result.
constexpr std::size_t kSearched = 4;

constexpr FrontEndWords kWords{
    "hardly any values are left of the readings",
    "the windows that move most are the reference's inputs, others are not"};

double movement_of(const readings::Series& series) {
  double sum = 0;
  const auto axes = static_cast<std::size_t>(series.axes);
  for (std::size_t i = axes; i < series.values.size(); ++i)
    sum += std::abs(static_cast<double>(series.values[i]) - series.values[i - axes]);
  return sum;
}

std::vector<Observation> liveliest(const std::vector<Observation>& all) {
  std::vector<Observation> sorted = all;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Observation& a, const Observation& b) {
    return movement_of(*a.series) > movement_of(*b.series);
  });
  sorted.resize(std::min(kSearched, sorted.size()));
  return sorted;
}

preprocess::Recipe recipe_of(const FrontEnd& f) { return preprocess::recipe_of(short_form(f)); }

std::string all_described(const FrontEnd& app, const FrontEnd& reference) {
  std::string text;
  for (const Kind& kind : kinds())
    if (!kind.same(app, reference))
      text += (text.empty() ? "" : "; ") + described(app, reference, kind);
  return text;
}

std::vector<InputFault> faults_between(const Problem& problem, const Found& found,
                                       double per_unit) {
  const FrontEnd& reference = problem.reference();
  std::vector<FrontEndDifference<FrontEnd>> differences;
  for (const Kind& kind : kinds()) {
    if (kind.same(found.app, reference)) continue;
    const auto mended = [&reference, &kind](FrontEnd f) {
      return with_kind_of(std::move(f), reference, kind);
    };
    differences.push_back({kind.cause, described(found.app, reference, kind), mended,
                           problem.score(mended(found.app))});
  }
  return faults_of(found.app, std::move(differences), found.before, per_unit, recipe_of);
}

}  // namespace

Result<InputDiagnosis> diagnose(const std::vector<Observation>& observations,
                                const FrontEnd& reference, double step, const Control& control) {
  InputDiagnosis diagnosis;
  diagnosis.gray_step = step;
  diagnosis.frames_used = observations.size();
  const auto undecidable = [&](const std::string& why) {
    diagnosis.status = State::kUndecidable;
    diagnosis.reason = why;
    return diagnosis;
  };
  const auto all = Problem::make(observations, reference);
  if (!all) return undecidable(all.error().what);
  const auto problem = Problem::make(liveliest(observations), reference);
  if (!problem) return undecidable(problem.error().what);
  EP_TRY(const auto found, search(*problem, control));
  const double per_unit = step > 0 ? problem->unit() / step : 1;
  const bool holds =
      found.status != Found::Status::kDestroyed && all->score(found.app) <= all->tau();
  diagnosis = judged_front_end(found, holds, observations.size(), per_unit, kWords);
  diagnosis.gray_step = step;
  if (!has_app(found)) return diagnosis;
  diagnosis.target_recipe = recipe_of(found.app);
  diagnosis.faults = faults_between(*problem, found, per_unit);
  std::vector<std::string> others;
  for (const FrontEnd& other : found.equals)
    others.push_back(all_described(other, problem->reference()));
  add_alternatives(diagnosis.faults, others);
  return diagnosis;
}

}  // namespace edgeprobe::diagnose::sensor
