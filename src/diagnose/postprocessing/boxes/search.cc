// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/boxes/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "diagnose/postprocessing/boxes/changes.h"
#include "diagnose/postprocessing/boxes/proof.h"

namespace edgeprobe::diagnose::boxes {
namespace {

// Distance below which an answer is the same, within what floats allow.
constexpr double kSame = 1e-9;
// Pairs that are kept for the search for triples.
constexpr std::size_t kKeptPairs = 40;
constexpr std::size_t kMostDeep = 3;
// Frames of a search, of either kind: those that the reference explains, and the others.
constexpr std::size_t kOfAKind = 5;
// Searches with frames added that the one before did not explain.
constexpr int kRounds = 3;
// Candidates that a search looks at, and more for each box of the longest answer, which may have
// suppressed so many; what it finds is checked with many.
constexpr std::size_t kFewCandidates = 400, kForEachBox = 20, kAllCandidates = 20'000;
// Evaluations of one search: some seconds, where each of a large model is a new suppression.
constexpr std::size_t kMostEvaluations = 60'000;

struct State {
  std::vector<Change> changes;
  double weight = 0;
  Hypothesis hypothesis;
  double distance = 0;
};

void by_distance(std::vector<State>& states) {
  std::stable_sort(states.begin(), states.end(), [](const State& a, const State& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.weight < b.weight;
  });
}

// One search on few frames, the worst of them first.
class Search {
 public:
  Search(Predictions& predictions, std::size_t worst, const Control& control)
      : predictions_(predictions), worst_(worst), control_(control) {
    Hypothesis reference;
    reference.recipe = predictions.reference();
    for (std::size_t i = 0; i < predictions.frames(); ++i)
      by_frame_.push_back(predictions.differ(reference, i).sum());
    start_ = {{}, 0, std::move(reference), by_frame_[worst]};
  }

  SearchStatus run() {
    std::vector<State> states{start_};
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
    if (!nearest || nearest->distance > 0.5 * by_frame_[worst_]) return SearchStatus::kUnknown;
    found = {*nearest};
    return SearchStatus::kPartial;
  }

  std::vector<State> found;
  std::size_t singles = 1;  ///< Changes that were proposed to the reference.

 private:
  bool is_over() const {
    return control_.stopped() || predictions_.evaluations() > kMostEvaluations;
  }

  std::vector<State> extended(const std::vector<State>& states) {
    std::set<std::set<std::string>> seen;
    std::vector<State> out;
    for (const State& state : states) {
      if (is_over()) break;
      // Scores that fit are those of the right activation, and the dearest to compute anew.
      const bool has_right_scores =
          predictions_.has_scores() && !predictions_.observed(worst_).scores.empty() &&
          predictions_.differ(state.hypothesis, worst_).has_right_scores();
      std::vector<Change> changes = catalogue(predictions_, state.hypothesis.recipe);
      for (Change& change : proposed(predictions_, state.hypothesis.recipe))
        changes.push_back(std::move(change));
      for (Change& change : changes) {
        if (change.sets == kActivation && has_right_scores) continue;
        std::set<std::string> words{change.words};
        for (const Change& one : state.changes) words.insert(one.words);
        if (!seen.insert(std::move(words)).second) continue;
        auto hypothesis = with(state.hypothesis, change);
        if (!hypothesis) continue;
        State next{state.changes, state.weight + change.weight, *std::move(hypothesis), 0};
        next.changes.push_back(std::move(change));
        next.distance = distance(next.hypothesis);
        out.push_back(std::move(next));
      }
    }
    by_distance(out);
    return out;
  }

  // On the worst frame; of all where that one is explained.
  double distance(const Hypothesis& hypothesis) {
    double sum = predictions_.differ(hypothesis, worst_).sum();
    if (sum > kSame) return sum;
    for (std::size_t i = 0; i < predictions_.frames(); ++i)
      if (i != worst_) sum += predictions_.differ(hypothesis, i).sum();
    return sum / static_cast<double>(predictions_.frames());
  }

  // Single changes that explain every frame that the reference does not.
  bool in_some_frames(const std::vector<State>& states) {
    std::vector<std::size_t> bad;
    for (std::size_t i = 0; i < by_frame_.size(); ++i)
      if (by_frame_[i] > kSame) bad.push_back(i);
    if (bad.size() < 2 || bad.size() == by_frame_.size()) return false;
    for (const State& state : states)
      if (std::all_of(bad.begin(), bad.end(), [&](std::size_t i) {
            return predictions_.differ(state.hypothesis, i).sum() <= kSame;
          }))
        found.push_back(state);
    return !found.empty();
  }

  Predictions& predictions_;
  std::size_t worst_;
  const Control& control_;
  std::vector<double> by_frame_;
  State start_;
};

std::vector<std::size_t> spread_over(const std::vector<std::size_t>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < most; ++i) out.push_back(all[i * all.size() / most]);
  return out;
}

Explanation explanation_of(Predictions& all, const State& state, std::size_t singles,
                           std::span<const std::size_t> frames) {
  Explanation out;
  out.changes = state.changes;
  out.weight = state.weight;
  out.distance = state.distance;
  const Recipe& whole = state.hypothesis.recipe;
  double spare = HUGE_VAL;
  for (const Change& change : out.changes) {
    const double bits =
        bits_for(all, whole, changed(all.reference(), out.changes, &change), change, frames);
    const double needed = bits_needed(change, singles);
    if (bits - needed >= spare) continue;
    spare = bits - needed;
    out.bits = bits, out.needed = needed;
  }
  out.is_proven = spare >= 0;
  return out;
}

struct Sorted {
  std::vector<std::size_t> like, unlike;
  std::size_t worst = 0;
};

Sorted sorted_frames(Predictions& all, Finding& finding) {
  Hypothesis reference;
  reference.recipe = all.reference();
  Sorted out;
  double most = -1;
  for (std::size_t i = 0; i < all.frames(); ++i) {
    const Parts parts = all.differ(reference, i);
    (parts.sum() <= kSame ? out.like : out.unlike).push_back(i);
    if (parts.sum() <= most) continue;
    most = parts.sum();
    out.worst = i;
    finding.before = parts;
  }
  return out;
}

Result<Finding> searched(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
                         const Control& control) {
  Finding finding;
  finding.frames = frames.size();
  if (frames.empty()) return finding;
  for (const RecordedFrame& frame : frames) {
    const std::vector<TensorView> views(frame.outputs.begin(), frame.outputs.end());
    if (auto answer = postprocess::detection::suppressed_of(reference, views); !answer)
      return std::move(answer).error();
    if (auto codes = postprocess::detection::codes_of(reference, views); !codes)
      return std::move(codes).error();
    if (reference.outputs.scores >= views.size())
      return Error{ErrorKind::kUsage,
                   "scores: there is no output " + std::to_string(reference.outputs.scores)};
  }
  Predictions all(frames, reference, model, kAllCandidates);
  finding.judged = all.judged();
  finding.has_scores = all.has_scores();
  const Sorted sorted = sorted_frames(all, finding);
  for (const std::size_t i : sorted.unlike) finding.unlike.push_back(frames[i].number);
  finding.worst = frames[sorted.worst].number;
  if (sorted.unlike.empty()) return finding;

  std::size_t longest = 0;
  for (const RecordedFrame& frame : frames) longest = std::max(longest, frame.answer.boxes->size());
  std::set<std::size_t> chosen{sorted.worst};
  for (const auto* const kind : {&sorted.unlike, &sorted.like})
    for (const std::size_t i : spread_over(*kind, kOfAKind)) chosen.insert(i);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<RecordedFrame> some;
    std::size_t worst = 0;
    for (const std::size_t i : chosen) {
      if (i == sorted.worst) worst = some.size();
      some.push_back(frames[i]);
    }
    Predictions few(some, reference, model, kFewCandidates + kForEachBox * longest);
    Search one(few, worst, control);
    finding.status = one.run();
    finding.evaluations += few.evaluations();
    if (control.stopped()) return interrupted();
    // What fits the chosen frames has to fit all of them, with all candidates.
    std::vector<std::size_t> must(frames.size());
    std::iota(must.begin(), must.end(), std::size_t{0});
    if (finding.status == SearchStatus::kSomeFrames) must = sorted.unlike;
    const bool is_exact =
        finding.status == SearchStatus::kExact || finding.status == SearchStatus::kSomeFrames;
    std::optional<std::size_t> against;
    std::erase_if(one.found, [&](const State& state) {
      if (!is_exact) return false;
      const auto unfit = std::find_if(must.begin(), must.end(), [&](std::size_t i) {
        return all.differ(state.hypothesis, i).sum() > kSame;
      });
      if (unfit != must.end()) against = *unfit;
      return unfit != must.end();
    });
    if (one.found.empty()) {
      finding.status = SearchStatus::kUnknown;
      if (against && chosen.insert(*against).second) continue;
      return finding;
    }
    std::stable_sort(one.found.begin(), one.found.end(),
                     [](const State& a, const State& b) { return a.weight < b.weight; });
    for (const State& state : one.found) {
      finding.explanations.push_back(explanation_of(all, state, one.singles, must));
      if (!is_exact) finding.explanations.back().is_proven = false;
    }
    finding.after = all.differ(one.found.front().hypothesis, sorted.worst);
    return finding;
  }
  return finding;
}

}  // namespace

Recipe changed(const Recipe& reference, std::span<const Change> changes, const Change* left_out) {
  Recipe out = reference;
  for (const Change& change : changes)
    if (&change != left_out) change.apply(out);
  return out;
}

Result<Finding> search(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
                       const Control& control) {
  auto finding = searched(frames, reference, model, control);
  if (!finding || finding->unlike.empty() || finding->status == SearchStatus::kExact ||
      finding->status == SearchStatus::kSomeFrames)
    return finding;
  // Boxes are a set to who draws or scores them, and libraries hand them on by class, too. What has
  // a name above keeps it: a suppression before the sort changes more than the order.
  Predictions all(frames, reference, model, kAllCandidates);
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (std::find(finding->unlike.begin(), finding->unlike.end(), frames[i].number) !=
            finding->unlike.end() &&
        !all.is_reordered(i))
      return finding;
  Finding agrees;
  agrees.frames = finding->frames;
  agrees.judged = finding->judged;
  agrees.has_scores = finding->has_scores;
  agrees.evaluations = finding->evaluations;
  return agrees;
}

}  // namespace edgeprobe::diagnose::boxes
