// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/boxes/search.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/postprocessing/boxes/changes.h"
#include "diagnose/postprocessing/boxes/proof.h"
#include "search/search.h"

namespace edgeprobe::diagnose::boxes {
namespace {

// Number of candidates in a search, and extra ones for each box of the longest answer, which may
// have suppressed as many; results are verified with the larger number.
constexpr std::size_t kFewCandidates = 400, kForEachBox = 20, kAllCandidates = 20'000;

class BoxProblem : public search::Problem<Recipe> {
 public:
  /// Borrows `frames` and `reference`.
  BoxProblem(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
             std::size_t candidates)
      : frames_(frames), given_(reference), predictions_(frames, reference, model, candidates) {}

  Predictions& predictions() { return predictions_; }
  const Recipe& reference() const override { return predictions_.reference(); }
  std::size_t frames() const override { return predictions_.frames(); }
  std::vector<Change> changes(const Recipe& recipe) override {
    std::vector<Change> all = catalogue(predictions_, recipe);
    for (Change& change : proposed(predictions_, recipe)) all.push_back(std::move(change));
    return all;
  }
  double distance(const Recipe& recipe, std::size_t frame) override {
    return predictions_.differ(recipe, frame).sum();
  }
  bool is_same(const Recipe& recipe, std::size_t frame) override {
    return distance(recipe, frame) <= search::kSame;
  }
  double bits(const Recipe& with_it, const Recipe& without_it, const Change& change,
              std::span<const std::size_t> frames) override {
    return bits_for(predictions_, with_it, without_it, change, frames);
  }
  double bits_needed(const Change& change, std::size_t proposed, std::size_t) const override {
    return change.sets & (kMost | kThreshold | kPointShown) ? search::kBitsOfCuts
                                                            : search::bits_needed(proposed);
  }
  search::Limits limits() const override {
    search::Limits limits;
    limits.frames_of_a_kind = 5;
    // Takes some seconds if each evaluation of a large model needs a new suppression.
    limits.evaluations = 60'000;
    return limits;
  }
  std::unique_ptr<search::Problem<Recipe>> on(std::span<const std::size_t> frames,
                                              std::size_t worst) override;
  std::optional<std::size_t> evaluations() const override { return predictions_.evaluations(); }
  // Boxes are an unordered set when drawn or scored, and libraries also return them by class. A
  // named fault keeps its name: suppression before the sort changes more than the order.
  bool is_reordered(std::size_t frame) override { return predictions_.is_reordered(frame); }

 private:
  std::span<const RecordedFrame> frames_;
  /// The reference with the names of its labels, which predictions convert to codes.
  const Recipe& given_;
  Predictions predictions_;
};

// Some of the frames, with few candidates each.
class FewBoxes final : public BoxProblem {
 public:
  FewBoxes(std::unique_ptr<const std::vector<RecordedFrame>> frames, const Recipe& reference,
           Size model, std::size_t candidates, std::size_t worst)
      : BoxProblem(*frames, reference, model, candidates), own_(std::move(frames)), worst_(worst) {}

  // Skips other activations if the scores match: that proves the activation right, and other
  // activations are the most expensive to compute.
  std::vector<Change> changes(const Recipe& recipe) override {
    const bool has_right_scores = predictions().has_scores() &&
                                  !predictions().observed(worst_).scores.empty() &&
                                  predictions().differ(recipe, worst_).has_right_scores();
    std::vector<Change> all = BoxProblem::changes(recipe);
    if (has_right_scores)
      std::erase_if(all, [](const Change& change) { return change.sets == kActivation; });
    return all;
  }

 private:
  std::unique_ptr<const std::vector<RecordedFrame>> own_;
  std::size_t worst_;
};

std::unique_ptr<search::Problem<Recipe>> BoxProblem::on(std::span<const std::size_t> frames,
                                                        std::size_t worst) {
  auto some = std::make_unique<std::vector<RecordedFrame>>();
  for (const std::size_t frame : frames) some->push_back(frames_[frame]);
  std::size_t longest = 0;
  for (const RecordedFrame& frame : frames_)
    longest = std::max(longest, frame.answer.boxes->size());
  return std::make_unique<FewBoxes>(std::move(some), given_, predictions_.model(),
                                    kFewCandidates + kForEachBox * longest, worst);
}

// Fails with the reason if the recipe cannot read a frame's outputs.
Result<void> check(const RecordedFrame& frame, const Recipe& reference, Size model) {
  const std::vector<TensorView> views(frame.outputs.begin(), frame.outputs.end());
  EP_CHECK(postprocess::detection::suppressed_of(reference, views, model));
  EP_CHECK(postprocess::detection::codes_of(reference, views, model));
  EP_CHECK(postprocess::detection::boxes_in(reference, views, model));
  EP_CHECK(postprocess::detection::scores_of(reference, views, model));
  return {};
}

}  // namespace

Result<Finding> search(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
                       const Control& control) {
  Finding finding;
  finding.frames = frames.size();
  if (frames.empty()) return finding;
  for (const RecordedFrame& frame : frames) EP_CHECK(check(frame, reference, model));
  BoxProblem problem(frames, reference, model, kAllCandidates);
  EP_TRY(auto found, search::search(problem, control));
  static_cast<search::Finding<Recipe>&>(finding) = std::move(found);
  Predictions& all = problem.predictions();
  finding.judged = all.judged();
  finding.has_scores = all.has_scores();
  finding.judges_points = all.judges_points();
  finding.near_labels = all.near_labels();
  if (finding.unlike.empty()) return finding;
  finding.before = all.differ(reference, finding.worst);
  if (!finding.explanations.empty())
    finding.after = all.differ(
        search::changed<Recipe>(reference, finding.explanations.front().changes), finding.worst);
  return finding;
}

}  // namespace edgeprobe::diagnose::boxes
