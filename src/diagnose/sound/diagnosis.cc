// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sound/diagnosis.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "diagnose/preprocessing/model/front_end_faults.h"
#include "diagnose/sound/changes.h"
#include "diagnose/sound/search.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose::sound {
namespace {

using audio::FrontEnd;
using State = InputDiagnosis::Status;

/// Recordings to search; the others only confirm or refute the result.
constexpr std::size_t kSearched = 2;
/// Factor on the limit for the other recordings: near silence, float32 is less exact than in the
/// loudest.
constexpr double kOfOthers = 2;

constexpr FrontEndWords kWords{
    "hardly any values are left of the recordings",
    "the loudest recordings' inputs are the reference's, others' are not"};

double energy_of(const audio::Clip& clip) {
  double sum = 0;
  for (const float sample : clip.samples) sum += static_cast<double>(sample) * sample;
  return sum / static_cast<double>(std::max<std::size_t>(1, clip.samples.size()));
}

std::vector<Observation> loudest(std::vector<Observation> all) {
  std::vector<double> energies;
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    order[i] = i;
    energies.push_back(energy_of(*all[i].clip));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return energies[a] > energies[b]; });
  std::vector<Observation> chosen;
  for (std::size_t i = 0; i < std::min(kSearched, all.size()); ++i)
    chosen.push_back(std::move(all[order[i]]));
  return chosen;
}

CauseKind cause_of(const std::string& kind) {
  for (const Member& member : members())
    if (kind == member.kind) return member.cause;
  return CauseKind::kUnknown;
}

std::string all_described(const FrontEnd& app, const FrontEnd& reference) {
  std::string text;
  for (const std::string& kind : kinds_between(app, reference))
    text += (text.empty() ? "" : "; ") + described(app, reference, kind);
  return text;
}

std::vector<InputFault> faults_between(Problem& problem, const Found& found, double per_unit) {
  const FrontEnd& reference = problem.reference();
  std::vector<FrontEndDifference<FrontEnd>> differences;
  for (const std::string& kind : kinds_between(found.app, reference)) {
    const auto mended = [&reference, kind](const FrontEnd& f) {
      return with_kind_of(f, reference, kind);
    };
    differences.push_back({cause_of(kind), described(found.app, reference, kind), mended,
                           problem.score(mended(found.app)).exact});
  }
  return faults_of(found.app, std::move(differences), found.before, per_unit,
                   [](const FrontEnd& f) { return preprocess::recipe_of(f); });
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
  auto all = Problem::make(observations, reference);
  if (!all) return undecidable(all.error().what);
  const auto searched = loudest(observations);
  auto problem = Problem::make(searched, reference);
  if (!problem) return undecidable(problem.error().what);
  EP_TRY(auto found, search(*problem, *searched.front().clip, control));
  const double per_unit = step > 0 ? problem->unit() / step : 1;
  const bool holds = found.status != Found::Status::kDestroyed &&
                     all->score(found.app).exact <= kOfOthers * all->tau();
  diagnosis = judged_front_end(found, holds, observations.size(), per_unit, kWords);
  diagnosis.gray_step = step;
  if (!has_app(found)) return diagnosis;
  diagnosis.target_recipe = preprocess::recipe_of(found.app);
  diagnosis.faults = faults_between(*problem, found, per_unit);
  std::vector<std::string> others;
  for (const FrontEnd& other : found.equals)
    others.push_back(all_described(other, problem->reference()));
  add_alternatives(diagnosis.faults, others);
  return diagnosis;
}

}  // namespace edgeprobe::diagnose::sound
