// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/control.h"
#include "search/finding.h"
#include "search/problem.h"

namespace edgeprobe::search {

/// One search on a few frames: single changes, pairs, and a third change for the best pairs.
template <class Recipe>
class Beam {
 public:
  struct State {
    std::vector<Change<Recipe>> changes;
    double weight = 0;
    Recipe recipe;
    std::uint32_t touched = 0;  ///< Parameters that changes have set.
    double distance = 0;
  };

  /// `frames`: the frames searched; `worst`: index of the worst among them.
  Beam(Problem<Recipe>& problem, std::vector<std::size_t> frames, std::size_t worst,
       const Control& control)
      : problem_(problem),
        limits_(problem.limits()),
        frames_(std::move(frames)),
        worst_(worst),
        control_(control) {
    for (const std::size_t frame : frames_)
      by_frame_.push_back(problem.distance(problem.reference(), frame));
  }

  SearchStatus run() {
    const double before = limits_.rough > 0 ? mean(by_frame_) : by_frame_[worst_];
    std::vector<State> states{{{}, 0, problem_.reference(), 0, before}}, in_some;
    std::optional<State> nearest;
    for (std::size_t depth = 1; depth <= kMostChanges && !is_over(); ++depth) {
      states = extended(states, depth == 1);
      if (depth == 1) singles = states.size();
      if (is_explained(states, depth)) return SearchStatus::kExact;
      if (depth == 1) in_some = in_some_frames(states);
      if (depth == limits_.some_frames_after && found.empty() && !in_some.empty()) {
        found = std::move(in_some);
        return SearchStatus::kSomeFrames;
      }
      const auto front = std::find_if(states.begin(), states.end(), [&](const State& state) {
        return state.distance > limits_.agrees;
      });
      if (front != states.end() && (!nearest || front->distance < nearest->distance))
        nearest = *front;
      if (depth > 1 && states.size() > kKeptPairs) states.resize(kKeptPairs);
    }
    if (!found.empty()) return SearchStatus::kExact;
    if (!nearest || nearest->distance > kPartial * before) return SearchStatus::kUnknown;
    found = {*std::move(nearest)};
    return SearchStatus::kPartial;
  }

  std::size_t evaluations() const { return problem_.evaluations().value_or(asked_); }

  std::vector<State> found;
  std::size_t singles = 1;  ///< Number of changes proposed to the reference.

 private:
  bool is_over() const { return control_.stopped() || evaluations() > limits_.evaluations; }

  // A state that explains the frames only because scores tie is not final: states with one more
  // change and without ties take priority.
  bool is_explained(const std::vector<State>& states, std::size_t depth) {
    std::vector<State> clean, owing;
    for (const State& state : states)
      if (state.distance <= limits_.tied)
        (state.distance <= limits_.same ? clean : owing).push_back(state);
    by_weight(clean);
    by_weight(owing);
    const bool is_last =
        !found.empty() || !clean.empty() || (!owing.empty() && depth == kMostChanges);
    if (found.empty()) found = std::move(owing);
    if (is_last) found.insert(found.begin(), clean.begin(), clean.end());
    return is_last;
  }

  static void by_weight(std::vector<State>& states) {
    std::stable_sort(states.begin(), states.end(),
                     [](const State& a, const State& b) { return a.weight < b.weight; });
  }

  std::vector<State> extended(const std::vector<State>& states, bool is_first) {
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
        next.distance = distance(next.recipe, is_first);
        out.push_back(std::move(next));
      }
    }
    std::stable_sort(out.begin(), out.end(), [](const State& a, const State& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.weight < b.weight;
    });
    return out;
  }

  double asked(const Recipe& recipe, std::size_t place) {
    ++asked_;
    return problem_.distance(recipe, frames_[place]);
  }

  // On the worst frame; on all if the distance is small enough there.
  double distance(const Recipe& recipe, bool is_single) {
    const double on_worst = asked(recipe, worst_);
    if (limits_.rough > 0) {
      if (frames_.size() == 1 || (!is_single && on_worst > limits_.rough * by_frame_[worst_]))
        return on_worst;
    } else if (on_worst > limits_.same) {
      return on_worst;
    }
    std::vector<double> all;
    for (std::size_t i = 0; i < frames_.size(); ++i)
      all.push_back(i == worst_ && limits_.rough <= 0 ? on_worst : asked(recipe, i));
    return mean(all);
  }

  static double mean(const std::vector<double>& all) {
    double sum = 0;
    for (const double one : all) sum += one;
    return sum / static_cast<double>(all.size());
  }

  // Single changes that explain every frame that the reference does not.
  std::vector<State> in_some_frames(const std::vector<State>& states) {
    std::vector<std::size_t> bad;
    for (std::size_t i = 0; i < frames_.size(); ++i)
      if (by_frame_[i] > limits_.agrees) bad.push_back(frames_[i]);
    std::vector<State> out;
    if (bad.size() < 2 || bad.size() == frames_.size()) return out;
    for (const State& state : states)
      if (std::all_of(bad.begin(), bad.end(), [&](std::size_t frame) {
            return problem_.distance(state.recipe, frame) <= limits_.tied;
          }))
        out.push_back(state);
    by_weight(out);
    return out;
  }

  Problem<Recipe>& problem_;
  const Limits limits_;
  std::vector<std::size_t> frames_;
  std::size_t worst_;
  const Control& control_;
  std::vector<double> by_frame_;
  std::size_t asked_ = 0;
};

}  // namespace edgeprobe::search
