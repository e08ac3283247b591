// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "search/beam.h"
#include "search/numbers.h"
#include "search/proof.h"

namespace edgeprobe::search {

template <class Recipe>
Explanation<Recipe> explanation_of(Problem<Recipe>& problem,
                                   const typename Beam<Recipe>::State& state, std::size_t singles,
                                   std::span<const std::size_t> frames) {
  Explanation<Recipe> out;
  out.changes = state.changes;
  out.weight = state.weight;
  const Limits limits = problem.limits();
  out.owes_ties = state.distance > limits.same;
  std::vector<Proof> proofs;
  for (const Change<Recipe>& change : out.changes) {
    const std::span<const Change<Recipe>> all(out.changes);
    proofs.push_back(
        {problem.bits(state.recipe, changed(problem.reference(), all, &change), change, frames),
         problem.bits_needed(change, singles, all.size())});
  }
  out.proof = weakest(proofs, limits.is_last_told);
  out.is_proven = out.proof.spare() >= 0;
  return out;
}

/// Frames that the reference explains; the others, and the worst of them, are added to the finding.
template <class Recipe>
std::vector<std::size_t> frames_alike(Problem<Recipe>& problem, Finding<Recipe>& finding) {
  std::vector<std::size_t> alike;
  double most = -1;
  for (std::size_t i = 0; i < problem.frames(); ++i) {
    if (problem.is_same(problem.reference(), i)) {
      alike.push_back(i);
      continue;
    }
    finding.unlike.push_back(i);
    const double distance = problem.distance(problem.reference(), i);
    if (distance > most) most = distance, finding.worst = i;
  }
  return alike;
}

/// One search on chosen frames, the worst of them first, checked on all frames. Returns a frame
/// that contradicts the results; empty if the finding is complete.
template <class Recipe>
std::optional<std::size_t> search_on(Problem<Recipe>& problem,
                                     const std::vector<std::size_t>& chosen,
                                     Finding<Recipe>& finding, const Control& control) {
  std::vector<std::size_t> frames = chosen;
  std::size_t worst = 0;
  std::sort(frames.begin(), frames.end());
  worst = static_cast<std::size_t>(std::lower_bound(frames.begin(), frames.end(), finding.worst) -
                                   frames.begin());
  const std::unique_ptr<Problem<Recipe>> few = problem.on(frames, worst);
  if (few) {
    std::iota(frames.begin(), frames.end(), std::size_t{0});
  } else {
    frames = chosen;
    worst = 0;
  }
  Beam<Recipe> beam(few ? *few : problem, std::move(frames), worst, control);
  finding.status = beam.run();
  finding.evaluations += beam.evaluations();
  if (control.stopped()) return std::nullopt;
  std::vector<std::size_t> must(problem.frames());
  std::iota(must.begin(), must.end(), std::size_t{0});
  if (finding.status == SearchStatus::kSomeFrames) must = finding.unlike;
  std::optional<std::size_t> against;
  std::erase_if(beam.found, [&](const auto& state) {
    if (!finding.is_explained()) return false;
    const auto unfit = std::find_if(
        must.begin(), must.end(), [&](std::size_t i) { return !problem.is_same(state.recipe, i); });
    if (unfit != must.end()) against = *unfit;
    return unfit != must.end();
  });
  if (beam.found.empty()) {
    finding.status = SearchStatus::kUnknown;
    return against;
  }
  for (const auto& state : beam.found) {
    finding.explanations.push_back(explanation_of(problem, state, beam.singles, must));
    if (!finding.is_explained()) finding.explanations.back().is_proven = false;
  }
  return std::nullopt;
}

/// Searches on a few frames and checks the results on all. kInterrupted if the user stopped it.
template <class Recipe>
Result<Finding<Recipe>> search(Problem<Recipe>& problem, const Control& control) {
  Finding<Recipe> finding;
  finding.frames = problem.frames();
  const std::vector<std::size_t> alike = frames_alike(problem, finding);
  if (finding.unlike.empty()) return finding;
  std::vector<std::size_t> chosen{finding.worst};
  const std::size_t most = problem.limits().frames_of_a_kind;
  for (const auto& kind : {spread_over(finding.unlike, most), spread_over(alike, most)})
    for (const std::size_t i : kind)
      if (i != finding.worst) chosen.push_back(i);
  for (int round = 0; round < kMostRounds; ++round) {
    const std::optional<std::size_t> against = search_on(problem, chosen, finding, control);
    if (control.stopped()) return interrupted();
    if (!against || std::find(chosen.begin(), chosen.end(), *against) != chosen.end()) break;
    chosen.push_back(*against);
  }
  if (finding.is_explained()) return finding;
  if (!std::all_of(finding.unlike.begin(), finding.unlike.end(),
                   [&](std::size_t i) { return problem.is_reordered(i); }))
    return finding;
  Finding<Recipe> agrees;
  agrees.frames = finding.frames;
  agrees.evaluations = finding.evaluations;
  return agrees;
}

}  // namespace edgeprobe::search
