// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/control.h"
#include "core/result.h"

/// The fewest changes to a reference's recipe that give what an app answered, whatever the recipe
/// is of.
namespace edgeprobe::search {

enum class SearchStatus {
  kAgrees,      ///< The reference's recipe gives the answers of all frames.
  kExact,       ///< Another recipe does.
  kSomeFrames,  ///< Another does in the frames where the reference's does not.
  kPartial,     ///< The nearest recipe leaves less than half of the distance.
  kUnknown,
};

/// One difference to the reference's recipe.
template <class Recipe>
struct Change {
  std::uint32_t sets = 0;  ///< A parameter; no two changes of a hypothesis set the same one.
  double weight = 1;       ///< Smaller: more usual.
  std::string words;       ///< What the app does: "mirrors points". Unlike for unlike changes.
  std::function<void(Recipe&)> apply;
  double free_bits = 0;  ///< What numbers cost that were fitted to the answers.
};

template <class Recipe>
struct Explanation {
  std::vector<Change<Recipe>> changes;
  double weight = 0;
  bool is_proven = false;       ///< Each of its changes predicts more than luck would.
  double bits = 0, needed = 0;  ///< Of the change that has the least to spare.
};

template <class Recipe>
struct Finding {
  SearchStatus status = SearchStatus::kAgrees;
  std::vector<Explanation<Recipe>> explanations;  ///< That fit equally, most usual first.
  std::size_t frames = 0;                         ///< With answers.
  std::vector<std::size_t> unlike;  ///< Places of frames that the reference does not explain.
  std::size_t worst = 0;            ///< Place of one of them.
  std::size_t evaluations = 0;
};

/// What a search asks about recorded frames, counted from 0.
template <class Recipe>
class Problem {
 public:
  virtual ~Problem() = default;
  virtual const Recipe& reference() const = 0;
  virtual std::size_t frames() const = 0;
  /// Those that may be made to a recipe, and those that the answers propose under it.
  virtual std::vector<Change<Recipe>> changes(const Recipe& recipe) = 0;
  /// From the recorded answer; 0: the same. It may look at a part of the answer.
  virtual double distance(const Recipe& recipe, std::size_t frame) = 0;
  /// Whether the whole answer is the same.
  virtual bool is_same(const Recipe& recipe, std::size_t frame) = 0;
  /// Bits that speak for one change: what the answers have, the recipe with it predicts, and the
  /// one without it does not.
  virtual double bits(const Recipe& with_it, const Recipe& without_it, const Change<Recipe>& change,
                      std::span<const std::size_t> frames) = 0;
  /// Bits that a change must have before it is confirmed, when it is one of so many.
  virtual double bits_needed(const Change<Recipe>& change, std::size_t changes) const = 0;
};

/// The reference's recipe with changes, all but one if `left_out` is one of them.
template <class Recipe>
Recipe changed(const Recipe& reference, std::span<const Change<Recipe>> changes,
               const Change<Recipe>* left_out = nullptr) {
  Recipe out = reference;
  for (const Change<Recipe>& change : changes)
    if (&change != left_out) change.apply(out);
  return out;
}

// Pairs that are kept for the search for triples.
inline constexpr std::size_t kKeptPairs = 40;
inline constexpr std::size_t kMostDeep = 3;
// Evaluations of one search, and frames of either kind: explained by the reference, or not.
inline constexpr std::size_t kMostEvaluations = 20'000;
inline constexpr std::size_t kOfAKind = 3;
// Searches with frames added that the one before did not explain.
inline constexpr int kRounds = 3;
// Of distances that are called the same.
inline constexpr double kSame = 1e-9;

template <class Recipe>
class Search {
 public:
  struct State {
    std::vector<Change<Recipe>> changes;
    double weight = 0;
    Recipe recipe;
    std::uint32_t touched = 0;
    double distance = 0;
  };

  /// `frames`: those that are searched on, the worst first.
  Search(Problem<Recipe>& problem, std::vector<std::size_t> frames, const Control& control)
      : problem_(problem), frames_(std::move(frames)), control_(control) {
    for (const std::size_t frame : frames_)
      by_frame_.push_back(problem.distance(problem.reference(), frame));
  }

  SearchStatus run() {
    std::vector<State> states{{{}, 0, problem_.reference(), 0, by_frame_.front()}};
    std::optional<State> nearest;
    for (std::size_t depth = 1; depth <= kMostDeep && !is_over(); ++depth) {
      states = extended(states);
      if (depth == 1) singles = states.size();
      for (const State& state : states)
        if (state.distance <= kSame) found.push_back(state);
      if (!found.empty()) return SearchStatus::kExact;
      if (depth == 1 && in_some_frames(states)) return SearchStatus::kSomeFrames;
      if (!states.empty() && (!nearest || states.front().distance < nearest->distance))
        nearest = states.front();
      if (depth > 1 && states.size() > kKeptPairs) states.resize(kKeptPairs);
    }
    if (!nearest || nearest->distance > 0.5 * by_frame_.front()) return SearchStatus::kUnknown;
    found = {*nearest};
    return SearchStatus::kPartial;
  }

  std::vector<State> found;
  std::size_t singles = 1;  ///< Changes that were proposed to the reference.
  std::size_t evaluations = 0;

 private:
  bool is_over() const { return control_.stopped() || evaluations > kMostEvaluations; }

  std::vector<State> extended(const std::vector<State>& states) {
    std::set<std::set<std::string>> seen;
    std::vector<State> out;
    for (const State& state : states) {
      if (is_over()) break;
      for (Change<Recipe>& change : problem_.changes(state.recipe)) {
        if (state.touched & change.sets) continue;
        std::set<std::string> words{change.words};
        for (const Change<Recipe>& one : state.changes) words.insert(one.words);
        if (!seen.insert(std::move(words)).second) continue;
        State next{state.changes, state.weight + change.weight, state.recipe,
                   state.touched | change.sets, 0};
        change.apply(next.recipe);
        if (next.recipe == state.recipe) continue;
        next.changes.push_back(std::move(change));
        next.distance = distance(next.recipe);
        out.push_back(std::move(next));
      }
    }
    std::stable_sort(out.begin(), out.end(), [](const State& a, const State& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.weight < b.weight;
    });
    return out;
  }

  // On the worst frame; of all where that one is explained.
  double distance(const Recipe& recipe) {
    ++evaluations;
    double sum = problem_.distance(recipe, frames_.front());
    if (sum > kSame) return sum;
    for (std::size_t i = 1; i < frames_.size(); ++i) {
      ++evaluations;
      sum += problem_.distance(recipe, frames_[i]);
    }
    return sum / static_cast<double>(frames_.size());
  }

  // Single changes that explain every frame that the reference does not.
  bool in_some_frames(const std::vector<State>& states) {
    std::vector<std::size_t> bad;
    for (std::size_t i = 0; i < frames_.size(); ++i)
      if (by_frame_[i] > kSame) bad.push_back(frames_[i]);
    if (bad.size() < 2 || bad.size() == frames_.size()) return false;
    for (const State& state : states)
      if (std::all_of(bad.begin(), bad.end(), [&](std::size_t frame) {
            return problem_.distance(state.recipe, frame) <= kSame;
          }))
        found.push_back(state);
    return !found.empty();
  }

  Problem<Recipe>& problem_;
  std::vector<std::size_t> frames_;
  const Control& control_;
  std::vector<double> by_frame_;
};

template <class Recipe>
Explanation<Recipe> explanation_of(Problem<Recipe>& problem,
                                   const typename Search<Recipe>::State& state, std::size_t singles,
                                   std::span<const std::size_t> frames) {
  Explanation<Recipe> out;
  out.changes = state.changes;
  out.weight = state.weight;
  double spare = HUGE_VAL;
  for (const Change<Recipe>& change : out.changes) {
    const std::span<const Change<Recipe>> all(out.changes);
    const double bits =
        problem.bits(state.recipe, changed(problem.reference(), all, &change), change, frames);
    const double needed = problem.bits_needed(change, singles);
    if (bits - needed >= spare) continue;
    spare = bits - needed;
    out.bits = bits, out.needed = needed;
  }
  out.is_proven = spare >= 0;
  return out;
}

/// The number with the fewest digits in (low, high]: what somebody would have typed.
inline double shortest_between(double low, double high) {
  for (int digits = 0; digits < 7; ++digits)
    for (const double half : {1.0, 0.5}) {
      const double unit = half * std::pow(10.0, -digits);
      const double value = std::floor(high / unit + 1e-9) * unit;
      if (value > low && value <= high + 1e-12) return value;
    }
  return high;
}

/// `most` of all, evenly spread.
inline std::vector<std::size_t> spread_over(const std::vector<std::size_t>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < most; ++i) out.push_back(all[i * all.size() / most]);
  return out;
}

/// Searches on a few frames and checks what it finds on all. kInterrupted when the user stopped it.
template <class Recipe>
Result<Finding<Recipe>> search(Problem<Recipe>& problem, const Control& control) {
  Finding<Recipe> finding;
  finding.frames = problem.frames();
  std::vector<std::size_t> like;
  double most = -1;
  for (std::size_t i = 0; i < problem.frames(); ++i) {
    const double distance = problem.distance(problem.reference(), i);
    (problem.is_same(problem.reference(), i) ? like : finding.unlike).push_back(i);
    if (!finding.unlike.empty() && finding.unlike.back() == i && distance > most)
      most = distance, finding.worst = i;
  }
  if (finding.unlike.empty()) return finding;
  std::vector<std::size_t> chosen{finding.worst};
  for (const auto* const kind : {&finding.unlike, &like})
    for (const std::size_t i : spread_over(*kind, kOfAKind))
      if (i != finding.worst) chosen.push_back(i);
  for (int round = 0; round < kRounds; ++round) {
    Search<Recipe> one(problem, chosen, control);
    finding.status = one.run();
    finding.evaluations += one.evaluations;
    if (control.stopped()) return interrupted();
    const bool is_exact =
        finding.status == SearchStatus::kExact || finding.status == SearchStatus::kSomeFrames;
    std::vector<std::size_t> must(problem.frames());
    std::iota(must.begin(), must.end(), std::size_t{0});
    if (finding.status == SearchStatus::kSomeFrames) must = finding.unlike;
    std::optional<std::size_t> against;
    std::erase_if(one.found, [&](const auto& state) {
      if (!is_exact) return false;
      const auto unfit = std::find_if(must.begin(), must.end(), [&](std::size_t i) {
        return !problem.is_same(state.recipe, i);
      });
      if (unfit != must.end()) against = *unfit;
      return unfit != must.end();
    });
    if (one.found.empty()) {
      finding.status = SearchStatus::kUnknown;
      if (!against || std::find(chosen.begin(), chosen.end(), *against) != chosen.end())
        return finding;
      chosen.push_back(*against);
      continue;
    }
    std::stable_sort(one.found.begin(), one.found.end(),
                     [](const auto& a, const auto& b) { return a.weight < b.weight; });
    for (const auto& state : one.found) {
      finding.explanations.push_back(explanation_of(problem, state, one.singles, must));
      if (!is_exact) finding.explanations.back().is_proven = false;
    }
    return finding;
  }
  return finding;
}

}  // namespace edgeprobe::search
