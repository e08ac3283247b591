// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/candidates.h"

#include <algorithm>
#include <iterator>

#include "search/limits.h"

namespace edgeprobe::diagnose::tokens {
namespace {

/// Largest number of two-change front ends to which a third change is added.
constexpr std::size_t kMostPairs = 24;

bool uses(const Candidate& from, Part part) {
  return std::any_of(from.changes.begin(), from.changes.end(),
                     [&](const Change& change) { return are_exclusive(change.part, part); });
}

/// Drops ids read off the recording if a listed change means the same.
std::vector<Candidate> distinct(std::vector<Candidate> exact) {
  const auto is_template = [](const Candidate& one) { return uses(one, Part::kTemplate); };
  if (!std::all_of(exact.begin(), exact.end(), is_template)) std::erase_if(exact, is_template);
  const auto is_of_ids = [&](const Candidate& one) {
    return !one.front_end.front.empty() || !one.front_end.back.empty();
  };
  if (!std::all_of(exact.begin(), exact.end(), is_of_ids)) std::erase_if(exact, is_of_ids);
  std::stable_sort(exact.begin(), exact.end(),
                   [](const Candidate& a, const Candidate& b) { return a.weight < b.weight; });
  // Keeps one of several orders of the same changes.
  std::vector<Candidate> out;
  for (Candidate& one : exact)
    if (std::none_of(out.begin(), out.end(),
                     [&](const Candidate& known) { return known.front_end == one.front_end; }))
      out.push_back(std::move(one));
  return out;
}

}  // namespace

Result<std::vector<Candidate>> CandidateSearch::ids() {
  Candidate start;
  start.front_end = problem_.reference();
  std::vector<Candidate> frontier{start};
  const auto own = distance(start.front_end, text::Role::kIds);
  if (own && *own == 0) return frontier;
  if (own) start.distance = *own;
  nearest_ = start;
  for (std::size_t changes = 1; changes <= search::kMostChanges; ++changes) {
    std::vector<Candidate> next, exact;
    for (const Candidate& from : frontier) {
      if (control_.stopped()) return interrupted();
      const auto said = problem_.encode(from.front_end);
      if (!said) continue;
      for (Change& change : changes_of_ids(problem_, from.front_end, *said)) {
        if (uses(from, change.part)) continue;
        // A value read off the recording already costs bits, so it is not counted as a choice.
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
    // Each of two changes may increase the distance by itself, so every single change is kept for
    // the next round.
    if (changes > 1 && next.size() > kMostPairs) next.resize(kMostPairs);
    frontier = std::move(next);
  }
  return std::vector<Candidate>();
}

std::vector<Candidate> CandidateSearch::completed(Candidate from) {
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

std::vector<Candidate> CandidateSearch::completed_by_another(const Candidate& from) {
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

std::optional<std::size_t> CandidateSearch::distance(const FrontEnd& front_end, text::Role role) {
  const auto said = problem_.encode(front_end);
  if (!said) return std::nullopt;
  std::size_t sum = 0;
  for (const std::size_t i : of_) {
    const text::Encoding& recorded = problem_.observations()[i].recorded;
    if (is_equal((*said)[i], recorded, role)) continue;
    const Ids &a = text::values_of((*said)[i], role), &b = text::values_of(recorded, role);
    sum += std::max<std::size_t>(1, role == text::Role::kIds ? edits_between(a, b) : unlike(a, b));
  }
  return sum;
}

std::optional<Candidate> CandidateSearch::with(const Candidate& from, Change change,
                                               text::Role role) {
  Candidate to = from;
  change.apply(to.front_end);
  const auto far = distance(to.front_end, role);
  if (!far) return std::nullopt;
  to.distance = *far;
  to.weight += change.weight;
  to.changes.push_back(std::move(change));
  return to;
}

std::vector<Candidate> CandidateSearch::by_one(const Candidate& from, text::Role role) {
  std::vector<Candidate> found;
  for (Change& change : changes_of(role, problem_, from.front_end)) {
    if (uses(from, change.part)) continue;
    auto to = with(from, std::move(change), role);
    if (to && to->distance == 0) found.push_back(*std::move(to));
  }
  return found;
}

std::vector<Candidate> CandidateSearch::by_two(const Candidate& from, text::Role role) {
  for (Change& change : changes_of(role, problem_, from.front_end)) {
    const auto to = with(from, std::move(change), role);
    if (!to) continue;
    if (auto found = by_one(*to, role); !found.empty()) return found;
  }
  return {};
}

}  // namespace edgeprobe::diagnose::tokens
