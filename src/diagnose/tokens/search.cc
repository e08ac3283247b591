// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/search.h"

#include <algorithm>

#include "diagnose/tokens/candidates.h"
#include "diagnose/tokens/proof.h"
#include "search/limits.h"

namespace edgeprobe::diagnose::tokens {
namespace {

FirstDifference first_difference(const Problem& problem, const std::vector<text::Encoding>& said,
                                 std::size_t observation) {
  const Ids &own = said[observation].ids,
            &recorded = problem.observations()[observation].recorded.ids;
  FirstDifference out;
  out.observation = observation;
  const std::size_t both = std::min(own.size(), recorded.size());
  while (out.place < both && own[out.place] == recorded[out.place]) ++out.place;
  out.is_missing = out.place >= recorded.size();
  out.is_further = out.place >= own.size();
  if (!out.is_further) out.own = own[out.place];
  if (!out.is_missing) out.recorded = recorded[out.place];
  return out;
}

Explanation explanation_of(Candidate candidate) {
  return {std::move(candidate.changes),
          std::move(candidate.front_end),
          candidate.weight,
          false,
          {},
          false};
}

std::size_t count_of(const Explanation& explanation, Part part) {
  return static_cast<std::size_t>(
      std::count_if(explanation.changes.begin(), explanation.changes.end(),
                    [&](const Change& change) { return change.part == part; }));
}

/// Ids around a single text, which another template text would explain as well.
bool has_template_of_one_text(const Problem& problem, const Explanation& explanation) {
  return problem.observations().size() == 1 && count_of(explanation, Part::kTemplate) > 0;
}

/// True if the only change is a text before or after, added or replacing the reference's.
bool is_of_one_text(const Problem& problem, const Explanation& explanation) {
  const std::size_t left_out = count_of(explanation, Part::kStep);
  return has_template_of_one_text(problem, explanation) && left_out <= 1 &&
         left_out + 1 == explanation.changes.size();
}

bool fits_all(Problem& problem, const FrontEnd& front_end) {
  const auto said = problem.encode(front_end);
  if (!said) return false;
  for (std::size_t i = 0; i < said->size(); ++i)
    if (!is_equal((*said)[i], problem.observations()[i].recorded)) return false;
  return true;
}

/// Fewest changes first, then the most usual.
void rank(std::vector<Explanation>& explanations) {
  std::stable_sort(
      explanations.begin(), explanations.end(), [](const Explanation& a, const Explanation& b) {
        return a.changes.size() != b.changes.size() ? a.changes.size() < b.changes.size()
                                                    : a.weight < b.weight;
      });
  if (explanations.empty()) return;
  const std::size_t fewest = explanations.front().changes.size();
  std::erase_if(explanations, [&](const Explanation& one) { return one.changes.size() > fewest; });
}

void add_nearest(CandidateSearch& searched, std::size_t before, Finding& found) {
  const Candidate& nearest = searched.nearest();
  if (nearest.changes.empty() ||
      static_cast<double>(nearest.distance) > search::kPartial * static_cast<double>(before))
    return;
  found.status = SearchStatus::kPartial;
  found.explanations.push_back(explanation_of(nearest));
}

}  // namespace

Result<Finding> search(Problem& problem, const Control& control) {
  Finding found;
  found.frames = problem.observations().size();
  EP_TRY(const auto said, problem.encode(problem.reference()));
  std::size_t before = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const text::Encoding& recorded = problem.observations()[i].recorded;
    if (is_equal(said[i], recorded)) continue;
    found.unlike.push_back(i);
    before += edits_between(said[i].ids, recorded.ids);
  }
  for (const text::Role role : kRoles)
    if (std::any_of(found.unlike.begin(), found.unlike.end(), [&](std::size_t i) {
          return !is_equal(said[i], problem.observations()[i].recorded, role);
        }))
      found.unlike_inputs.emplace_back(text::name(role));
  if (found.unlike.empty()) {
    found.status = SearchStatus::kAgrees;
    return found;
  }
  found.first = first_difference(problem, said, found.unlike.front());
  CandidateSearch searched(problem, found.unlike, control);
  EP_TRY(auto of_ids, searched.ids());
  for (const Candidate& one : of_ids)
    for (Candidate& whole : searched.completed(one))
      found.explanations.push_back(explanation_of(std::move(whole)));
  if (found.explanations.empty())
    for (const Candidate& one : of_ids)
      for (Candidate& whole : searched.completed_by_another(one))
        found.explanations.push_back(explanation_of(std::move(whole)));
  for (Explanation& one : found.explanations)
    prove(problem, found.unlike, searched.proposed(), one);
  for (Explanation& one : found.explanations) {
    one.is_of_one_text = is_of_one_text(problem, one);
    if (has_template_of_one_text(problem, one)) one.is_proven = false;
  }
  // Removes explanations that cost more bits than they explain.
  std::erase_if(found.explanations,
                [](const Explanation& one) { return one.proof.bits <= 0 && !one.is_of_one_text; });
  if (found.explanations.empty()) {
    // The ids are explained, but another input is not.
    if (!of_ids.empty() && !of_ids.front().changes.empty()) {
      found.status = SearchStatus::kPartial;
      found.explanations.push_back(explanation_of(of_ids.front()));
    } else if (of_ids.empty()) {
      add_nearest(searched, before, found);
    }
    return found;
  }
  // Prefers explanations that hold in every frame to those that hold only in differing ones.
  const bool everywhere =
      std::any_of(found.explanations.begin(), found.explanations.end(),
                  [&](const Explanation& one) { return fits_all(problem, one.front_end); });
  if (everywhere)
    std::erase_if(found.explanations,
                  [&](const Explanation& one) { return !fits_all(problem, one.front_end); });
  found.status = everywhere ? SearchStatus::kExact : SearchStatus::kSomeFrames;
  rank(found.explanations);
  if (found.explanations.size() > 1)
    found.would_decide = text_that_decides(problem, found.explanations[0].front_end,
                                           found.explanations[1].front_end);
  return found;
}

}  // namespace edgeprobe::diagnose::tokens
