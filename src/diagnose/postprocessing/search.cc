// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "diagnose/postprocessing/changes.h"
#include "diagnose/postprocessing/evidence.h"
#include "postprocess/classify.h"

namespace edgeprobe::diagnose::postprocessing {
namespace {

// Distance below which an answer is the same, within what floats and ties allow.
constexpr double kExact = 1e-5;
// A changed recipe may owe at most half of its labels to ties, which would explain any label.
constexpr double kTied = 5e-7;
// Below this no tie had to be forgiven.
constexpr double kUntied = 1e-9;
// Pairs that are kept for the search for triples.
constexpr std::size_t kBeam = 40;
// Share of the reference's distance on the first frame above which the others are not tried.
constexpr double kRough = 0.2;
constexpr std::size_t kMostChanges = 3;
// Frames of a search, of either kind: those that the reference explains, and the others.
constexpr std::size_t kFramesOfAKind = 8;
// Ranks that a search compares; what fits is compared whole.
constexpr std::size_t kRanks = 60;
// Searches with frames added that the one before did not explain.
constexpr int kMostRounds = 3;

struct State {
  std::vector<Change> changes;
  double weight = 0;
  Hypothesis hypothesis;
  double distance = 0;
};

double mean_distance(Predictions& predictions, const Hypothesis& hypothesis) {
  double sum = 0;
  for (std::size_t frame = 0; frame < predictions.frames(); ++frame)
    sum += predictions.differ(hypothesis, frame).sum();
  return sum / static_cast<double>(std::max<std::size_t>(predictions.frames(), 1));
}

std::set<std::string> keys_of(const State& state, const Change& change) {
  std::set<std::string> keys{change.key};
  for (const Change& one : state.changes) keys.insert(one.key);
  return keys;
}

// One search on few frames, the worst of them first.
class Search {
 public:
  Search(Predictions& predictions, std::size_t worst, const Control& control)
      : predictions_(predictions), worst_(worst), control_(control) {
    reference_.recipe = predictions.reference();
    for (std::size_t frame = 0; frame < predictions.frames(); ++frame)
      by_frame_.push_back(predictions.differ(reference_, frame).sum());
    before_ = std::accumulate(by_frame_.begin(), by_frame_.end(), 0.0) /
              static_cast<double>(by_frame_.size());
  }

  struct Answer {
    SearchStatus status = SearchStatus::kUnknown;
    std::vector<State> states;
    std::size_t singles = 1;  ///< Changes that were proposed to the reference.
  };

  Answer run() {
    std::vector<State> states{{{}, 0, reference_, before_}};
    std::vector<State> forgiven, in_some;
    std::optional<State> best;
    Answer answer;
    for (std::size_t depth = 1; depth <= kMostChanges && !control_.stopped(); ++depth) {
      states = extended(states, depth == 1);
      if (depth == 1) answer.singles = states.size();
      std::vector<State> exact;
      for (const State& state : states)
        if (state.distance <= kTied) exact.push_back(state);
      std::stable_sort(exact.begin(), exact.end(), [](const State& a, const State& b) {
        const bool a_tied = a.distance > kUntied, b_tied = b.distance > kUntied;
        return a_tied != b_tied ? b_tied : a.weight < b.weight;
      });
      std::vector<State> clean;
      for (const State& state : exact)
        if (state.distance <= kUntied) clean.push_back(state);
      if (!forgiven.empty()) {
        // One change fewer does it, too, but only with ties forgiven.
        answer.status = SearchStatus::kExact;
        answer.states = clean.empty() ? forgiven : clean;
        if (!clean.empty())
          answer.states.insert(answer.states.end(), forgiven.begin(), forgiven.end());
        return answer;
      }
      if (!clean.empty() || (!exact.empty() && depth == kMostChanges)) {
        answer.status = SearchStatus::kExact;
        answer.states = std::move(exact);
        return answer;
      }
      forgiven = std::move(exact);
      // What two changes explain in every frame, none has to be right in some of them alone.
      if (depth == 1) in_some = in_some_frames(states);
      if (depth == 2 && forgiven.empty() && !in_some.empty()) {
        answer.states = std::move(in_some);
        answer.status = SearchStatus::kSomeFrames;
        return answer;
      }
      for (const State& state : states) {
        if (state.distance > kTied && state.distance <= kExact) continue;
        if (!best || state.distance < best->distance) best = state;
        break;
      }
      if (depth > 1 && states.size() > kBeam) states.resize(kBeam);
    }
    if (best && best->distance <= 0.5 * before_) {
      answer.status = SearchStatus::kPartial;
      answer.states = {*best};
    }
    return answer;
  }

 private:
  std::vector<State> extended(const std::vector<State>& states, bool first) {
    std::set<std::set<std::string>> seen;
    std::vector<State> out;
    for (const State& state : states) {
      if (control_.stopped()) break;
      for (Change& change : changes_of(predictions_, state.hypothesis)) {
        if (!seen.insert(keys_of(state, change)).second) continue;
        auto hypothesis = with(state.hypothesis, change);
        if (!hypothesis) continue;
        State next{state.changes, state.weight + change.weight, *std::move(hypothesis), 0};
        next.distance = predictions_.differ(next.hypothesis, worst_).sum();
        if (predictions_.frames() > 1 && (first || next.distance <= kRough * by_frame_[worst_]))
          next.distance = mean_distance(predictions_, next.hypothesis);
        next.changes.push_back(std::move(change));
        out.push_back(std::move(next));
      }
    }
    std::stable_sort(out.begin(), out.end(), [](const State& a, const State& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.weight < b.weight;
    });
    return out;
  }

  // Single changes that explain every frame that the reference does not.
  std::vector<State> in_some_frames(const std::vector<State>& singles) {
    std::vector<std::size_t> bad;
    for (std::size_t i = 0; i < by_frame_.size(); ++i)
      if (by_frame_[i] > kExact) bad.push_back(i);
    std::vector<State> out;
    if (bad.size() < 2 || bad.size() == by_frame_.size()) return out;
    for (const State& state : singles)
      if (std::all_of(bad.begin(), bad.end(), [&](std::size_t frame) {
            return predictions_.differ(state.hypothesis, frame).sum() <= kTied;
          }))
        out.push_back(state);
    std::stable_sort(out.begin(), out.end(),
                     [](const State& a, const State& b) { return a.weight < b.weight; });
    return out;
  }

  Predictions& predictions_;
  std::size_t worst_;
  const Control& control_;
  Hypothesis reference_;
  std::vector<double> by_frame_;
  double before_ = 0;
};

// Up to so many of these, evenly spread.
std::vector<std::size_t> spread(const std::vector<std::size_t>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < most; ++i) out.push_back(all[i * all.size() / most]);
  return out;
}

Hypothesis applied(const postprocess::Classification& reference, const std::vector<Change>& changes,
                   const Change* leave_out) {
  Hypothesis out;
  out.recipe = reference;
  for (const Change& change : changes) {
    if (&change == leave_out) continue;
    if (auto next = with(out, change)) out = *std::move(next);
  }
  return out;
}

Explanation explanation_of(Predictions& all, const State& state, std::size_t singles,
                           std::span<const std::size_t> frames) {
  Explanation out;
  out.changes = state.changes;
  out.weight = state.weight;
  out.owes_ties = state.distance > kUntied;
  const Hypothesis whole = applied(all.reference(), out.changes, nullptr);
  double margin = HUGE_VAL;
  for (const Change& change : out.changes) {
    const double bits =
        bits_for(all, whole, applied(all.reference(), out.changes, &change), change, frames);
    const double needed = bits_needed(all, change, singles, out.changes.size());
    if (bits - needed > margin) continue;
    margin = bits - needed;
    out.bits = bits;
    out.needed = needed;
  }
  out.is_proven = margin >= 0;
  return out;
}

// What would tell the first two explanations apart, or make the first one sure.
Decider decider_of(Predictions& all, const std::vector<Explanation>& explanations) {
  Decider out;
  if (explanations.empty()) return out;
  if (explanations.size() < 2) {
    if (!explanations.front().is_proven) out.kind = Decider::Kind::kMoreFrames;
    return out;
  }
  const Hypothesis first = applied(all.reference(), explanations[0].changes, nullptr);
  const Hypothesis second = applied(all.reference(), explanations[1].changes, nullptr);
  for (std::size_t id = 0; all.judged() == Judged::kNames && id < all.classes(); ++id) {
    const int a = all.label(first, static_cast<int>(id)),
              b = all.label(second, static_cast<int>(id));
    if (a == b || a == kAnyLabel || b == kAnyLabel) continue;
    out.kind = Decider::Kind::kClass;
    out.class_id = static_cast<int>(id);
    Hypothesis plain;
    plain.recipe = all.reference();
    out.name = all.name(all.label(plain, out.class_id));
    return out;
  }
  const auto cuts = [](const Explanation& one) {
    return std::any_of(one.changes.begin(), one.changes.end(),
                       [](const Change& c) { return (c.sets & (kMost | kThreshold)) != 0; });
  };
  out.kind = cuts(explanations[0]) || cuts(explanations[1]) ? Decider::Kind::kCount
                                                            : Decider::Kind::kScores;
  return out;
}

}  // namespace

Result<Finding> search(std::span<const RecordedFrame> frames,
                       const postprocess::Classification& reference, const Control& control) {
  Finding found;
  found.frames = frames.size();
  if (frames.empty()) return found;
  std::vector<TensorSpec> specs;
  for (const Tensor& output : frames.front().outputs) specs.push_back(output.spec);
  if (const auto output = postprocess::output_of(reference, specs); !output) return output.error();
  Predictions all(frames, reference);
  found.judged = all.judged();
  found.has_scores = all.has_scores();
  Hypothesis plain;
  plain.recipe = all.reference();
  std::vector<std::size_t> like, unlike;
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    const Parts parts = all.differ(plain, frame);
    (parts.sum() <= kExact ? like : unlike).push_back(frame);
    if (parts.sum() > most) {
      most = parts.sum();
      worst = frame;
      found.before = parts;
    }
  }
  for (const std::size_t frame : unlike) found.unlike.push_back(frames[frame].number);
  if (unlike.empty()) return found;

  std::set<std::size_t> chosen{worst};
  for (const std::size_t frame : spread(unlike, kFramesOfAKind)) chosen.insert(frame);
  for (const std::size_t frame : spread(like, kFramesOfAKind)) chosen.insert(frame);
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<RecordedFrame> some;
    std::size_t first = 0;
    for (const std::size_t frame : chosen) {
      if (frame == worst) first = some.size();
      some.push_back(frames[frame]);
    }
    Predictions predictions(some, all);
    predictions.look_at(kRanks);
    Search::Answer answer = Search(predictions, first, control).run();
    found.evaluations += predictions.evaluations();
    if (control.stopped()) return interrupted();
    // What fits the chosen frames has to fit all of them.
    std::optional<std::size_t> against;
    const auto fits = [&](const State& state) {
      const auto& must =
          answer.status == SearchStatus::kSomeFrames ? unlike : std::vector<std::size_t>{};
      if (answer.status == SearchStatus::kSomeFrames) {
        for (const std::size_t frame : must)
          if (all.differ(state.hypothesis, frame).sum() > kExact) return against = frame, false;
        return true;
      }
      for (std::size_t frame = 0; frame < frames.size(); ++frame)
        if (all.differ(state.hypothesis, frame).sum() > kExact) return against = frame, false;
      return true;
    };
    found.status = answer.status;
    const bool exact =
        answer.status == SearchStatus::kExact || answer.status == SearchStatus::kSomeFrames;
    if (exact) {
      std::erase_if(answer.states, [&](const State& state) { return !fits(state); });
      if (answer.states.empty()) {
        found.status = SearchStatus::kUnknown;
        if (round + 1 < kMostRounds && against && chosen.insert(*against).second) continue;
        return found;
      }
    }
    std::vector<std::size_t> counted(frames.size());
    std::iota(counted.begin(), counted.end(), std::size_t{0});
    if (answer.status == SearchStatus::kSomeFrames) counted = unlike;
    for (const State& state : answer.states) {
      found.explanations.push_back(explanation_of(all, state, answer.singles, counted));
      if (!exact) found.explanations.back().is_proven = false;
    }
    if (!found.explanations.empty())
      found.after =
          all.differ(applied(all.reference(), found.explanations[0].changes, nullptr), worst);
    if (exact) found.decider = decider_of(all, found.explanations);
    return found;
  }
  return found;
}

}  // namespace edgeprobe::diagnose::postprocessing
