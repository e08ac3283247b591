// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/search.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "diagnose/tokens/proof.h"

namespace edgeprobe::diagnose::tokens {
namespace {

using Ids = std::vector<std::int64_t>;
/// Front ends of two changes that a third is tried with.
constexpr std::size_t kMostPairs = 24;
constexpr std::size_t kMostChanges = 3;
/// Less than that of the reference's distance, and the nearest is worth a word.
constexpr double kHalf = 0.5;

/// A front end on the way to an explanation.
struct Candidate {
  std::vector<Change> changes;
  text::FrontEnd front_end;
  double weight = 0;
  std::size_t distance = 0;  ///< Ids to be put in, taken out or exchanged.
};

bool is_equal(const text::Encoding& said, const text::Encoding& recorded, text::Role role) {
  const Ids& values = text::values_of(recorded, role);
  return values.empty() || values == text::values_of(said, role);
}

constexpr std::array kRoles{text::Role::kIds, text::Role::kMask, text::Role::kTypes,
                            text::Role::kPositions};

bool is_equal(const text::Encoding& said, const text::Encoding& recorded) {
  return std::all_of(kRoles.begin(), kRoles.end(),
                     [&](text::Role role) { return is_equal(said, recorded, role); });
}

/// The search on some observations; all that it tried is counted.
class Search {
 public:
  Search(Problem& problem, std::vector<std::size_t> of, const Control& control)
      : problem_(problem), of_(std::move(of)), control_(control) {}

  /// Front ends that give the ids, with the fewest changes; nearest() where there are none.
  Result<std::vector<Candidate>> ids() {
    Candidate start;
    start.front_end = problem_.reference();
    std::vector<Candidate> frontier{start};
    const auto own = distance(start.front_end, text::Role::kIds);
    if (own && *own == 0) return frontier;
    if (own) start.distance = *own;
    nearest_ = start;
    for (std::size_t changes = 1; changes <= kMostChanges; ++changes) {
      std::vector<Candidate> next, exact;
      for (const Candidate& from : frontier) {
        if (control_.stopped()) return interrupted();
        const auto said = problem_.encode(from.front_end);
        if (!said) continue;
        for (Change& change : changes_of_ids(problem_, from.front_end, *said)) {
          if (uses(from, change.part)) continue;
          // Numbers that were read off pay for themselves.
          proposed_ += changes == 1 && change.read_bits == 0;
          auto to = with(from, std::move(change), text::Role::kIds);
          if (!to) continue;
          if (to->distance == 0) exact.push_back(*std::move(to));
          else next.push_back(*std::move(to));
        }
      }
      if (!exact.empty()) return distinct(std::move(exact));
      std::stable_sort(next.begin(), next.end(), [](const Candidate& a, const Candidate& b) {
        return a.distance != b.distance ? a.distance < b.distance : a.weight < b.weight;
      });
      for (const Candidate& one : next)
        if (one.distance < nearest_.distance && !uses(one, Part::kTemplate)) nearest_ = one;
      // Of two changes each alone may make things worse: every single one is tried with another.
      if (changes > 1 && next.size() > kMostPairs) next.resize(kMostPairs);
      frontier = std::move(next);
    }
    return std::vector<Candidate>();
  }

  /// The same with the other inputs right, too, by every change that makes them so: one of each,
  /// of positions up to two. Empty when one has none.
  std::vector<Candidate> completed(Candidate from) {
    std::vector<Candidate> all{std::move(from)};
    for (const text::Role role : {text::Role::kMask, text::Role::kTypes, text::Role::kPositions}) {
      std::vector<Candidate> next;
      for (const Candidate& one : all) {
        const auto own = distance(one.front_end, role);
        if (own && *own == 0) next.push_back(one);
        if (!own || *own == 0) continue;
        auto found = by_one(one, role);
        if (found.empty() && role == text::Role::kPositions) found = by_two(one, role);
        std::move(found.begin(), found.end(), std::back_inserter(next));
      }
      all = std::move(next);
    }
    return all;
  }

  /// With one change more that these ids cannot show, and another input does.
  std::vector<Candidate> completed_by_another(const Candidate& from) {
    std::vector<Candidate> all;
    const auto said = problem_.encode(from.front_end);
    if (!said) return all;
    for (Change& change : changes_of_ids(problem_, from.front_end, *said)) {
      if (uses(from, change.part) || change.read_bits > 0) continue;
      const auto to = with(from, std::move(change), text::Role::kIds);
      if (!to || to->distance > 0) continue;
      auto found = completed(*to);
      std::move(found.begin(), found.end(), std::back_inserter(all));
    }
    return all;
  }

  const Candidate& nearest() const { return nearest_; }
  std::size_t proposed() const { return proposed_; }
  const std::vector<std::size_t>& of() const { return of_; }

 private:
  static bool uses(const Candidate& from, Part part) {
    return std::any_of(from.changes.begin(), from.changes.end(),
                       [&](const Change& change) { return are_exclusive(change.part, part); });
  }

  /// Of one input over the observations; nothing when the tokenizer refuses.
  std::optional<std::size_t> distance(const text::FrontEnd& front_end, text::Role role) {
    const auto said = problem_.encode(front_end);
    if (!said) return std::nullopt;
    std::size_t sum = 0;
    for (const std::size_t i : of_) {
      const text::Encoding& recorded = problem_.observations()[i].recorded;
      if (is_equal((*said)[i], recorded, role)) continue;
      const Ids &a = text::values_of((*said)[i], role), &b = text::values_of(recorded, role);
      sum +=
          std::max<std::size_t>(1, role == text::Role::kIds ? edits_between(a, b) : unlike(a, b));
    }
    return sum;
  }

  std::optional<Candidate> with(const Candidate& from, Change change, text::Role role) {
    Candidate to = from;
    change.apply(to.front_end);
    const auto far = distance(to.front_end, role);
    if (!far) return std::nullopt;
    to.distance = *far;
    to.weight += change.weight;
    to.changes.push_back(std::move(change));
    return to;
  }

  std::vector<Candidate> by_one(const Candidate& from, text::Role role) {
    std::vector<Candidate> found;
    for (Change& change : changes_of(role, problem_, from.front_end)) {
      if (uses(from, change.part)) continue;
      auto to = with(from, std::move(change), role);
      if (to && to->distance == 0) found.push_back(*std::move(to));
    }
    return found;
  }

  std::vector<Candidate> by_two(const Candidate& from, text::Role role) {
    for (Change& change : changes_of(role, problem_, from.front_end)) {
      const auto to = with(from, std::move(change), role);
      if (!to) continue;
      if (auto found = by_one(*to, role); !found.empty()) return found;
    }
    return {};
  }

  /// Ids that were only read off the recording go when a change of the list says the same.
  static std::vector<Candidate> distinct(std::vector<Candidate> exact) {
    const auto is_template = [](const Candidate& one) { return uses(one, Part::kTemplate); };
    if (!std::all_of(exact.begin(), exact.end(), is_template)) std::erase_if(exact, is_template);
    const auto is_of_ids = [&](const Candidate& one) {
      return !one.front_end.front.empty() || !one.front_end.back.empty();
    };
    if (!std::all_of(exact.begin(), exact.end(), is_of_ids)) std::erase_if(exact, is_of_ids);
    std::stable_sort(exact.begin(), exact.end(),
                     [](const Candidate& a, const Candidate& b) { return a.weight < b.weight; });
    // The same changes in another order are one.
    std::vector<Candidate> out;
    for (Candidate& one : exact)
      if (std::none_of(out.begin(), out.end(),
                       [&](const Candidate& known) { return known.front_end == one.front_end; }))
        out.push_back(std::move(one));
    return out;
  }

  Problem& problem_;
  std::vector<std::size_t> of_;
  const Control& control_;
  Candidate nearest_;
  std::size_t proposed_ = 1;
};

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
  return {std::move(candidate.changes), std::move(candidate.front_end), candidate.weight, false, 0};
}

bool fits_all(Problem& problem, const text::FrontEnd& front_end) {
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

void add_nearest(Search& searched, std::size_t before, Finding& found) {
  const Candidate& nearest = searched.nearest();
  if (nearest.changes.empty() ||
      static_cast<double>(nearest.distance) > kHalf * static_cast<double>(before))
    return;
  found.status = SearchStatus::kPartial;
  found.explanations.push_back(explanation_of(nearest));
}

}  // namespace

Result<Finding> search(Problem& problem, const Control& control) {
  Finding found;
  found.frames = problem.observations().size();
  const auto said = problem.encode(problem.reference());
  if (!said) return said.error();
  std::size_t before = 0;
  for (std::size_t i = 0; i < said->size(); ++i) {
    const text::Encoding& recorded = problem.observations()[i].recorded;
    if (is_equal((*said)[i], recorded)) continue;
    found.unlike.push_back(i);
    before += edits_between((*said)[i].ids, recorded.ids);
  }
  for (const text::Role role : kRoles)
    if (std::any_of(found.unlike.begin(), found.unlike.end(), [&](std::size_t i) {
          return !is_equal((*said)[i], problem.observations()[i].recorded, role);
        }))
      found.unlike_inputs.emplace_back(text::name(role));
  if (found.unlike.empty()) {
    found.status = SearchStatus::kAgrees;
    return found;
  }
  found.first = first_difference(problem, *said, found.unlike.front());
  Search searched(problem, found.unlike, control);
  auto of_ids = searched.ids();
  if (!of_ids) return std::move(of_ids.error());
  for (const Candidate& one : *of_ids)
    for (Candidate& whole : searched.completed(one))
      found.explanations.push_back(explanation_of(std::move(whole)));
  if (found.explanations.empty())
    for (const Candidate& one : *of_ids)
      for (Candidate& whole : searched.completed_by_another(one))
        found.explanations.push_back(explanation_of(std::move(whole)));
  for (Explanation& one : found.explanations)
    prove(problem, found.unlike, searched.proposed(), one);
  // It takes more to say it than it says.
  std::erase_if(found.explanations, [](const Explanation& one) { return one.bits <= 0; });
  if (found.explanations.empty()) {
    // The ids have a name, and another input has none.
    if (!of_ids->empty() && !of_ids->front().changes.empty()) {
      found.status = SearchStatus::kPartial;
      found.explanations.push_back(explanation_of(of_ids->front()));
    } else if (of_ids->empty()) {
      add_nearest(searched, before, found);
    }
    return found;
  }
  // One that holds in every frame goes before one that holds in those that differ alone.
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
