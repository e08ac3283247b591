// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "core/tensor.h"
#include "trace/answer.h"

/// The search for faults behind models whose answer is numbers: a vector, or an anomaly score. It
/// runs on inputs, outputs and answers that the target itself recorded.
namespace edgeprobe::diagnose::numbers {

/// One frame of the target.
struct RecordedFrame {
  std::uint32_t number = 0;
  std::vector<Tensor> inputs, outputs;  ///< Of the model, in its order.
  trace::Answer answer;
};

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
  std::uint32_t sets = 0;  ///< Parameter of the recipe; no two changes set the same one.
  double weight = 1;       ///< Smaller: more usual.
  std::string step;        ///< Of the recipe's text, "pool".
  std::string words;       ///< What the app does: "takes the first row". Unlike for unlike changes.
  std::function<void(Recipe&)> apply;
  double free_bits = 0;  ///< What numbers cost that were fitted to the answers.
};

/// Changes to the reference's recipe that give the recorded answers.
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
  std::size_t frames = 0;
  std::vector<std::uint32_t> unlike;  ///< Frames that the reference's recipe does not explain.
  std::size_t evaluations = 0;
};

/// The recipe with changes, all but one if `left_out` is one of them.
template <class Recipe>
Recipe changed(Recipe recipe, std::span<const Change<Recipe>> changes,
               const Change<Recipe>* left_out = nullptr) {
  for (const Change<Recipe>& change : changes)
    if (&change != left_out) change.apply(recipe);
  return recipe;
}

/// Bits that one of `together` changes must have before it is confirmed, where so many were
/// proposed: a lucky fit with eight to spare has a chance of 1 in 256.
inline double bits_needed(std::size_t proposed, std::size_t together) {
  return 8 + static_cast<double>(together) *
                 std::log2(static_cast<double>(std::max<std::size_t>(proposed, 2)));
}

/// Searches on some frames of `Predictions`, which has
///   using Recipe; const Recipe& reference(); std::size_t frames();
///   double distance(const Recipe&, std::size_t frame);        // 0: equal within the tolerances
///   std::vector<Change<Recipe>> changes(const Recipe&);       // that may be made to a recipe
///   double bits(with, without, change, frames);               // that speak for a change
///   double needed(change, proposed, together);                // before it is confirmed
///   std::uint32_t number(std::size_t frame);
template <class Predictions>
class Search {
 public:
  using Recipe = typename Predictions::Recipe;

  Search(Predictions& predictions, const Control& control)
      : predictions_(predictions), control_(control) {}

  /// kInterrupted when the user stopped it.
  Result<Finding<Recipe>> run() {
    Finding<Recipe> finding;
    finding.frames = predictions_.frames();
    std::vector<std::size_t> like, unlike;
    double most = -1;
    for (std::size_t i = 0; i < finding.frames; ++i) {
      reference_.push_back(distance(predictions_.reference(), i));
      (reference_[i] > 0 ? unlike : like).push_back(i);
      if (reference_[i] > most) most = reference_[i], worst_ = i;
    }
    for (const std::size_t i : unlike) finding.unlike.push_back(predictions_.number(i));
    if (unlike.empty()) return finding;
    std::set<std::size_t> chosen{worst_};
    for (const auto* const kind : {&unlike, &like})
      for (const std::size_t i : spread(*kind, kOfAKind)) chosen.insert(i);
    for (int round = 0; round < kRounds; ++round) {
      chosen_.assign(chosen.begin(), chosen.end());
      std::vector<State> found;
      finding.status = on_chosen(found);
      if (control_.stopped()) return interrupted();
      // What fits the chosen frames has to fit all of them.
      std::vector<std::size_t> must(finding.frames);
      std::iota(must.begin(), must.end(), std::size_t{0});
      if (finding.status == SearchStatus::kSomeFrames) must = unlike;
      const bool is_exact =
          finding.status == SearchStatus::kExact || finding.status == SearchStatus::kSomeFrames;
      std::optional<std::size_t> against;
      std::erase_if(found, [&](const State& state) {
        if (!is_exact) return false;
        const auto unfit = std::find_if(
            must.begin(), must.end(), [&](std::size_t i) { return distance(state.recipe, i) > 0; });
        if (unfit != must.end()) against = *unfit;
        return unfit != must.end();
      });
      if (found.empty()) {
        finding.status = SearchStatus::kUnknown;
        if (against && chosen.insert(*against).second) continue;
        break;
      }
      std::stable_sort(found.begin(), found.end(),
                       [](const State& a, const State& b) { return a.weight < b.weight; });
      for (const State& state : found) {
        finding.explanations.push_back(explained(state, must));
        if (!is_exact) finding.explanations.back().is_proven = false;
      }
      break;
    }
    finding.evaluations = evaluations_;
    return finding;
  }

 private:
  struct State {
    std::vector<Change<Recipe>> changes;
    double weight = 0;
    Recipe recipe;
    std::uint32_t touched = 0;
    double distance = 0;
  };

  // Pairs that are kept for the search for triples.
  static constexpr std::size_t kKeptPairs = 40, kMostChanges = 3;
  // Frames of a search, of either kind: those that the reference explains, and the others.
  static constexpr std::size_t kOfAKind = 8;
  // Searches with frames added that the one before did not explain.
  static constexpr int kRounds = 3;
  // Share of the reference's distance on the worst frame above which the others are not tried.
  static constexpr double kRough = 0.2;

  static std::vector<std::size_t> spread(const std::vector<std::size_t>& all, std::size_t most) {
    if (all.size() <= most) return all;
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < most; ++i) out.push_back(all[i * all.size() / most]);
    return out;
  }

  double distance(const Recipe& recipe, std::size_t frame) {
    ++evaluations_;
    return predictions_.distance(recipe, frame);
  }

  // On the worst frame; of all that were chosen where that one is nearly explained.
  double distance(const Recipe& recipe, bool is_rough) {
    double sum = distance(recipe, worst_);
    if (is_rough && sum > kRough * reference_[worst_]) return sum;
    for (const std::size_t i : chosen_)
      if (i != worst_) sum += distance(recipe, i);
    return sum / static_cast<double>(chosen_.size());
  }

  SearchStatus on_chosen(std::vector<State>& found) {
    std::vector<State> states{{{}, 0, predictions_.reference(), 0, reference_[worst_]}}, in_some;
    std::optional<State> nearest;
    double before = 0;
    for (const std::size_t i : chosen_)
      before += reference_[i] / static_cast<double>(chosen_.size());
    for (std::size_t depth = 1; depth <= kMostChanges && !control_.stopped(); ++depth) {
      states = extended(states, depth > 1);
      if (depth == 1) singles_ = states.size();
      for (const State& state : states)
        if (state.distance <= 0) found.push_back(state);
      if (!found.empty()) return SearchStatus::kExact;
      if (depth == 1) in_some = in_some_frames(states);
      // What two changes explain in every frame, none has to be right in some of them alone.
      if (depth == 2 && !in_some.empty()) {
        found = std::move(in_some);
        return SearchStatus::kSomeFrames;
      }
      if (!states.empty() && (!nearest || states.front().distance < nearest->distance))
        nearest = states.front();
      if (depth > 1 && states.size() > kKeptPairs) states.resize(kKeptPairs);
    }
    if (!nearest || nearest->distance > 0.5 * before) return SearchStatus::kUnknown;
    found = {*nearest};
    return SearchStatus::kPartial;
  }

  std::vector<State> extended(const std::vector<State>& states, bool is_rough) {
    std::set<std::set<std::string>> seen;
    std::vector<State> out;
    for (const State& state : states) {
      if (control_.stopped()) break;
      for (Change<Recipe>& change : predictions_.changes(state.recipe)) {
        if (state.touched & change.sets) continue;
        std::set<std::string> words{change.words};
        for (const Change<Recipe>& one : state.changes) words.insert(one.words);
        if (!seen.insert(std::move(words)).second) continue;
        State next = state;
        change.apply(next.recipe);
        if (next.recipe == state.recipe) continue;
        next.touched |= change.sets;
        next.weight += change.weight;
        next.changes.push_back(std::move(change));
        next.distance = distance(next.recipe, is_rough);
        out.push_back(std::move(next));
      }
    }
    std::stable_sort(out.begin(), out.end(), [](const State& a, const State& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.weight < b.weight;
    });
    return out;
  }

  // Single changes that explain every frame that the reference does not.
  std::vector<State> in_some_frames(const std::vector<State>& states) {
    std::vector<std::size_t> bad;
    for (const std::size_t i : chosen_)
      if (reference_[i] > 0) bad.push_back(i);
    std::vector<State> out;
    if (bad.size() < 2 || bad.size() == chosen_.size()) return out;
    for (const State& state : states)
      if (std::all_of(bad.begin(), bad.end(),
                      [&](std::size_t i) { return distance(state.recipe, i) <= 0; }))
        out.push_back(state);
    return out;
  }

  Explanation<Recipe> explained(const State& state, std::span<const std::size_t> frames) {
    Explanation<Recipe> out;
    out.changes = state.changes;
    out.weight = state.weight;
    double spare = HUGE_VAL;
    for (const Change<Recipe>& change : out.changes) {
      const Recipe without =
          changed<Recipe>(predictions_.reference(), std::span(out.changes), &change);
      const double bits =
          predictions_.bits(state.recipe, without, change, frames) - change.free_bits;
      const double needed = predictions_.needed(change, singles_, out.changes.size());
      if (bits - needed >= spare) continue;
      spare = bits - needed;
      out.bits = bits, out.needed = needed;
    }
    out.is_proven = spare >= 0;
    return out;
  }

  Predictions& predictions_;
  const Control& control_;
  std::vector<double> reference_;  ///< Distances, by frame.
  std::vector<std::size_t> chosen_;
  std::size_t worst_ = 0, singles_ = 1, evaluations_ = 0;
};

}  // namespace edgeprobe::diagnose::numbers
