// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/diagnosis.h"

#include <algorithm>
#include <cmath>

#include "diagnose/sensor/members.h"
#include "diagnose/sensor/search.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose::sensor {
namespace {

using readings::FrontEnd;
using State = InputDiagnosis::Status;

/// Windows that are searched; the others are only asked whether it holds for them.
constexpr std::size_t kSearched = 4;

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

/// The reference's steps that are other ones in the app.
std::string steps_to_take(const FrontEnd& app, const FrontEnd& reference, const Kind& kind) {
  const auto before = preprocess::spelled(recipe_of(app)),
             after = preprocess::spelled(recipe_of(with_kind_of(app, reference, kind)));
  std::string steps;
  for (const preprocess::Spelled& step : after)
    if (std::none_of(before.begin(), before.end(),
                     [&](const preprocess::Spelled& old) { return old.text == step.text; }))
      steps += (steps.empty() ? "" : " | ") + step.text;
  return steps;
}

std::string all_described(const FrontEnd& app, const FrontEnd& reference) {
  std::string text;
  for (const Kind& kind : kinds())
    if (!kind.same(app, reference))
      text += (text.empty() ? "" : "; ") + described(app, reference, kind);
  return text;
}

/// By contribution, largest first; each recipe is without its own fault and all before it.
std::vector<InputFault> faults_of(const Problem& problem, const Found& found, double per_unit) {
  const FrontEnd& reference = problem.reference();
  struct One {
    const Kind* kind;
    double contribution;
  };
  std::vector<One> all;
  for (const Kind& kind : kinds())
    if (!kind.same(found.app, reference)) {
      const double left = problem.score(with_kind_of(found.app, reference, kind));
      // What the others then make cannot be run alone: then all of it.
      all.push_back({&kind, std::isfinite(left) ? left : found.before});
    }
  std::stable_sort(all.begin(), all.end(),
                   [](const One& a, const One& b) { return a.contribution > b.contribution; });
  std::vector<InputFault> faults;
  FrontEnd mended = found.app;
  for (const One& one : all) {
    InputFault fault;
    fault.kind = one.kind->cause;
    fault.detail = described(found.app, reference, *one.kind);
    fault.contribution = all.size() == 1 ? found.before * per_unit : one.contribution * per_unit;
    fault.fix_step = steps_to_take(found.app, reference, *one.kind);
    mended = with_kind_of(mended, reference, *one.kind);
    fault.without_it = recipe_of(mended);
    faults.push_back(std::move(fault));
  }
  return faults;
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
  const auto found = search(*problem, control);
  if (!found) return found.error();
  const double per_unit = step > 0 ? problem->unit() / step : 1;
  diagnosis.residual_before = found->before * per_unit;
  diagnosis.residual = found->left * per_unit;
  if (found->status == Found::Status::kDestroyed)
    return undecidable("hardly any values are left of the readings");
  const bool holds = all->score(found->app) <= all->tau();
  if (found->status == Found::Status::kEqual && !holds)
    return undecidable("the windows that move most are the reference's inputs, others are not");
  if (found->status == Found::Status::kEqual) {
    diagnosis.status = State::kEqual;
    diagnosis.frames_agreeing = observations.size();
    return diagnosis;
  }
  if (found->status == Found::Status::kUnknown) {
    diagnosis.status = State::kPartial;
    return diagnosis;
  }
  diagnosis.status = holds ? State::kFound : State::kPartial;
  diagnosis.frames_agreeing = holds ? observations.size() : 0;
  diagnosis.target_recipe = recipe_of(found->app);
  diagnosis.faults = faults_of(*problem, *found, per_unit);
  if (!diagnosis.faults.empty())
    for (const FrontEnd& other : found->equals) {
      const std::string text = all_described(other, problem->reference());
      auto& known = diagnosis.faults.front().alternatives;
      if (!text.empty() && std::find(known.begin(), known.end(), text) == known.end())
        known.push_back(text);
    }
  return diagnosis;
}

}  // namespace edgeprobe::diagnose::sensor
