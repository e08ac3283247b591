// SPDX-License-Identifier: Apache-2.0
#include "diagnose/state/findings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace edgeprobe::diagnose::state {
namespace {

using Steps = std::vector<std::size_t>;

/// In sequences of this length, a later state never arrives.
constexpr std::size_t kLateForEver = 4;

Steps judged_steps(const Explainer& explainer, const Recording& recording, std::size_t state) {
  Steps steps;
  for (std::size_t step = 0; step < recording.steps(); ++step)
    if (explainer.is_judged(state, step)) steps.push_back(step);
  return steps;
}

// True if the change could also have acted unnoticed in all other steps: it reproduces what was
// recorded there.
bool holds_at(const Explainer& explainer, const Change& change, std::size_t state, const Steps& all,
              const Steps& shown, std::size_t from) {
  return std::all_of(all.begin(), all.end(), [&](std::size_t step) {
    return step < from || std::binary_search(shown.begin(), shown.end(), step) ||
           explainer.fits(change, state, step);
  });
}

// Period of resets: every n-th step of each sequence or of the recording, without exception.
std::size_t period_of(const Explainer& explainer, const Recording& recording, const Change& change,
                      std::size_t state, const Steps& all, const Steps& shown) {
  if (shown.size() < 3) return 0;  // Two steps have a distance but not a period.
  for (const bool of_sequence : {true, false}) {
    const auto place = [&](std::size_t step) {
      return of_sequence ? step - explainer.past().first(step)
                         : std::size_t{recording.frames[step]};
    };
    std::size_t period = 0;
    for (const std::size_t step : shown)
      period = std::gcd(period, of_sequence ? place(step) : place(step) - place(shown.front()));
    if (period < 2) continue;
    const std::size_t rest = of_sequence ? 0 : place(shown.front()) % period;
    const bool all_of_them = std::all_of(all.begin(), all.end(), [&](std::size_t step) {
      return place(step) % period != rest || explainer.past().is_start(step) ||
             std::binary_search(shown.begin(), shown.end(), step) ||
             explainer.fits(change, state, step);
    });
    if (all_of_them) return period;
  }
  return 0;
}

void set_extent(const Explainer& explainer, const Recording& recording, std::size_t state,
                Finding& finding) {
  const bool at_starts =
      finding.change.source == Source::kNotReset || finding.change.source == Source::kOtherInitial;
  const bool at_start = explainer.past().is_start(finding.steps.front());
  Steps all = judged_steps(explainer, recording, state);
  std::erase_if(all, [&](std::size_t step) { return explainer.past().is_start(step) != at_start; });
  if (at_starts) {
    // The first sequence has no predecessor.
    std::erase_if(all, [](std::size_t step) { return step == 0; });
    finding.extent = finding.steps.size() >= all.size() ? Extent::kEvery : Extent::kSome;
    return;
  }
  if (finding.change.source == Source::kUnknown || finding.change.source == Source::kHalf ||
      finding.change.source == Source::kNotANumber) {
    finding.extent = finding.steps.size() == all.size() ? Extent::kEvery : Extent::kSome;
    return;
  }
  if (holds_at(explainer, finding.change, state, all, finding.steps, 0)) {
    finding.extent = Extent::kEvery;
  } else if (finding.steps.size() > 2 && holds_at(explainer, finding.change, state, all,
                                                  finding.steps, finding.steps.front())) {
    finding.extent = Extent::kFrom;
  } else if (const std::size_t period =
                 period_of(explainer, recording, finding.change, state, all, finding.steps)) {
    finding.extent = Extent::kPeriod;
    finding.period = period;
  }
}

// An interrupted copy takes elements by position, not by value.
bool chooses_by_value(const Explainer& explainer, std::size_t state, const Steps& steps) {
  std::size_t larger = 0, smaller = 0, farther = 0, nearer = 0;
  for (const std::size_t step : steps)
    if (const auto half = explainer.half_copied(state, step)) {
      larger += half->larger;
      smaller += half->smaller;
      farther += half->farther;
      nearer += half->nearer;
    }
  return larger == 0 || smaller == 0 || farther == 0 || nearer == 0;
}

// Explains the wrong steps of one state by few changes, chosen greedily, largest first.
std::vector<Finding> cover(const Explainer& explainer, const Recording& recording,
                           std::size_t state) {
  std::map<std::size_t, std::vector<Change>> left;
  for (const std::size_t step : judged_steps(explainer, recording, state))
    if (!explainer.is_meant(state, step)) left[step] = explainer.explanations(state, step);
  const Change unknown;
  const auto explained_by = [&](const Change& change) {
    Steps steps;
    for (const auto& [step, changes] : left)
      if (std::find(changes.begin(), changes.end(), change) != changes.end()) steps.push_back(step);
    return steps;
  };
  const Change half{Source::kHalf, 0, 0, {}};
  if (chooses_by_value(explainer, state, explained_by(half)))
    for (auto& [step, changes] : left) {
      std::erase(changes, half);
      if (changes.empty()) changes.push_back(unknown);
    }
  std::vector<Finding> found;
  while (!left.empty()) {
    std::set<Change> changes;
    for (const auto& [step, of_step] : left) changes.insert(of_step.begin(), of_step.end());
    std::map<Change, Steps> steps;
    for (const Change& change : changes) steps[change] = explained_by(change);
    // Unexplained steps come last.
    const auto key = [&](const Change& change) {
      return std::tuple(change.source == Source::kUnknown, -static_cast<long>(steps[change].size()),
                        change.cost(), change);
    };
    const Change best =
        *std::min_element(changes.begin(), changes.end(),
                          [&](const Change& a, const Change& b) { return key(a) < key(b); });
    Finding finding;
    finding.states = {state};
    finding.change = best;
    finding.steps = steps[best];
    for (const Change& change : changes)
      if (!(change == best) && change.cost() == best.cost() && change.ago <= kLateForEver &&
          steps[change] == finding.steps)
        finding.alternatives.push_back(change);
    set_extent(explainer, recording, state, finding);
    const State& one = recording.states[state];
    if (best.bend.kind == BendKind::kLevels) {
      const Values* const given = explainer.past().made(finding.steps.front(), 1, one.output, one);
      if (given) finding.level_step = level_step(*one.fed[finding.steps.front()], *given);
    }
    if (best.source == Source::kHalf)
      finding.half = explainer.half_copied(state, finding.steps.front());
    std::erase_if(left, [&](const auto& step) {
      return std::binary_search(finding.steps.begin(), finding.steps.end(), step.first);
    });
    found.push_back(std::move(finding));
  }
  std::size_t unexplained = 0;
  for (const Finding& one : found)
    if (one.change.source == Source::kUnknown) unexplained += one.steps.size();
  for (Finding& one : found) one.unexplained = unexplained;
  return found;
}

// True if each was fed with the other's output.
bool exchange(const Recording& recording, const Finding& a, const Finding& b) {
  return a.change.source == Source::kOutput && b.change.source == Source::kOutput &&
         a.change.bend == b.change.bend &&
         a.change.output == recording.states[b.states.front()].output &&
         b.change.output == recording.states[a.states.front()].output;
}

bool same_story(const Finding& a, const Finding& b) {
  Change change = a.change;
  // Axes and level steps may differ by tensor. The change may show in fewer steps of one state, if
  // it makes no difference in the others.
  const bool same_extent = a.extent == b.extent && a.period == b.period;
  const bool same_steps = a.steps == b.steps || (same_extent && a.extent == Extent::kEvery);
  return change.source != Source::kOutput && change == b.change && same_extent && same_steps &&
         a.unexplained == b.unexplained;
}

// Merges findings that apply to several states.
std::vector<Finding> merged(const Recording& recording, std::vector<Finding> all) {
  std::vector<Finding> out;
  for (Finding& one : all) {
    const auto like = std::find_if(out.begin(), out.end(), [&](const Finding& other) {
      return !other.exchanged && (same_story(other, one) ||
                                  (exchange(recording, other, one) && other.extent == one.extent));
    });
    if (like == out.end()) {
      out.push_back(std::move(one));
      continue;
    }
    like->exchanged = one.change.source == Source::kOutput;
    like->states.push_back(one.states.front());
    Steps together;
    std::set_union(like->steps.begin(), like->steps.end(), one.steps.begin(), one.steps.end(),
                   std::back_inserter(together));
    like->steps = std::move(together);
    std::erase_if(like->alternatives, [&](const Change& change) {
      return std::find(one.alternatives.begin(), one.alternatives.end(), change) ==
             one.alternatives.end();
    });
  }
  return out;
}

}  // namespace

Findings findings(const Recording& recording) {
  const Explainer explainer(recording);
  Findings out;
  std::vector<Finding> all;
  for (std::size_t state = 0; state < recording.states.size(); ++state) {
    out.judged = std::max(out.judged, judged_steps(explainer, recording, state).size());
    auto of_state = cover(explainer, recording, state);
    std::move(of_state.begin(), of_state.end(), std::back_inserter(all));
  }
  for (std::size_t step = 0; step < recording.steps(); ++step)
    out.cut += explainer.past().is_cut(step) && !recording.states.empty() &&
               recording.states.front().fed[step].has_value();
  out.found = merged(recording, std::move(all));
  std::stable_sort(out.found.begin(), out.found.end(), [](const Finding& a, const Finding& b) {
    const auto key = [](const Finding& one) {
      return std::tuple(one.steps.front(), -static_cast<long>(one.steps.size()));
    };
    return key(a) < key(b);
  });
  return out;
}

}  // namespace edgeprobe::diagnose::state
