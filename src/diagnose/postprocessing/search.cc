// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/search.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "diagnose/postprocessing/changes.h"
#include "diagnose/postprocessing/evidence.h"
#include "postprocess/classify.h"
#include "search/search.h"

namespace edgeprobe::diagnose::postprocessing {
namespace {

// Distance below which answers count as the same, allowing for floats and ties.
constexpr double kExact = 1e-5;
// Limit for a changed recipe: at most half of its labels may be right only by ties, because ties
// could explain any label.
constexpr double kTied = 5e-7;
// Fraction of the reference's distance on the worst frame above which a pair is not tried on other
// frames.
constexpr double kRough = 0.2;
// Ranks compared by the search; matches are then compared completely.
constexpr std::size_t kRanks = 60;

class ClassProblem : public search::Problem<Hypothesis> {
 public:
  /// Borrows the frames.
  ClassProblem(std::span<const RecordedFrame> frames, Predictions predictions)
      : frames_(frames), predictions_(std::move(predictions)) {
    reference_.recipe = predictions_.reference();
  }

  Predictions& predictions() { return predictions_; }
  const Hypothesis& reference() const override { return reference_; }
  std::size_t frames() const override { return predictions_.frames(); }
  std::vector<Change> changes(const Hypothesis& hypothesis) override {
    return changes_of(predictions_, hypothesis);
  }
  double distance(const Hypothesis& hypothesis, std::size_t frame) override {
    return predictions_.differ(hypothesis, frame).sum();
  }
  bool is_same(const Hypothesis& hypothesis, std::size_t frame) override {
    return distance(hypothesis, frame) <= kExact;
  }
  double bits(const Hypothesis& with_it, const Hypothesis& without_it, const Change& change,
              std::span<const std::size_t> frames) override {
    return bits_for(predictions_, with_it, without_it, change, frames);
  }
  double bits_needed(const Change& change, std::size_t proposed,
                     std::size_t together) const override {
    return postprocessing::bits_needed(predictions_, change, proposed, together);
  }
  search::Limits limits() const override {
    search::Limits limits;
    limits.tied = kTied;
    limits.agrees = kExact;
    // A frame is a list that is sorted once: evaluations are cheap, so the search needs no limit.
    limits.frames_of_a_kind = 8;
    limits.evaluations = std::numeric_limits<std::size_t>::max();
    limits.rough = kRough;
    // If two changes explain every frame, explanations for only some frames are not needed.
    limits.some_frames_after = 2;
    limits.is_last_told = true;
    return limits;
  }
  std::unique_ptr<search::Problem<Hypothesis>> on(std::span<const std::size_t> frames,
                                                  std::size_t worst) override;
  std::optional<std::size_t> evaluations() const override { return predictions_.evaluations(); }

 private:
  std::span<const RecordedFrame> frames_;
  Predictions predictions_;
  Hypothesis reference_;
};

// Some of the frames, with the first ranks only.
class FewClasses final : public ClassProblem {
 public:
  FewClasses(std::unique_ptr<const std::vector<RecordedFrame>> frames, const Predictions& all)
      : ClassProblem(*frames, Predictions(*frames, all)), own_(std::move(frames)) {
    predictions().look_at(kRanks);
  }

 private:
  std::unique_ptr<const std::vector<RecordedFrame>> own_;
};

std::unique_ptr<search::Problem<Hypothesis>> ClassProblem::on(std::span<const std::size_t> frames,
                                                              std::size_t) {
  auto some = std::make_unique<std::vector<RecordedFrame>>();
  for (const std::size_t frame : frames) some->push_back(frames_[frame]);
  return std::make_unique<FewClasses>(std::move(some), predictions_);
}

// The frame or property that would distinguish the first two explanations, or confirm the first.
Decider decider_of(Predictions& all, const Hypothesis& reference,
                   const std::vector<search::Explanation<Hypothesis>>& explanations) {
  Decider out;
  if (explanations.empty()) return out;
  if (explanations.size() < 2) {
    if (!explanations.front().is_proven) out.kind = Decider::Kind::kMoreFrames;
    return out;
  }
  const Hypothesis first = search::changed<Hypothesis>(reference, explanations[0].changes);
  const Hypothesis second = search::changed<Hypothesis>(reference, explanations[1].changes);
  for (std::size_t id = 0; all.judged() == Judged::kNames && id < all.classes(); ++id) {
    const int a = all.label(first, static_cast<int>(id)),
              b = all.label(second, static_cast<int>(id));
    if (a == b || a == kAnyLabel || b == kAnyLabel) continue;
    out.kind = Decider::Kind::kClass;
    out.class_id = static_cast<int>(id);
    out.name = all.name(all.label(reference, out.class_id));
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
  EP_CHECK(postprocess::output_of(reference, specs));
  ClassProblem problem(frames, Predictions(frames, reference));
  EP_TRY(auto searched, search::search(problem, control));
  static_cast<search::Finding<Hypothesis>&>(found) = std::move(searched);
  Predictions& all = problem.predictions();
  found.judged = all.judged();
  found.has_scores = all.has_scores();
  found.classes = all.classes();
  found.near_labels = all.near_labels();
  if (found.unlike.empty()) return found;
  const Hypothesis& plain = problem.reference();
  found.before = all.differ(plain, found.worst);
  if (!found.explanations.empty())
    found.after = all.differ(search::changed<Hypothesis>(plain, found.explanations.front().changes),
                             found.worst);
  if (found.is_explained()) found.decider = decider_of(all, plain, found.explanations);
  return found;
}

bool agrees(std::span<const RecordedFrame> frames, const postprocess::Classification& reference) {
  ClassProblem problem(frames, Predictions(frames, reference));
  for (std::size_t frame = 0; frame < problem.frames(); ++frame)
    if (!problem.is_same(problem.reference(), frame)) return false;
  return problem.frames() > 0;
}

}  // namespace edgeprobe::diagnose::postprocessing
