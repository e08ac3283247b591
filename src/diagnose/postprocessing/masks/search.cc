// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/masks/search.h"

#include "diagnose/postprocessing/masks/changes.h"
#include "search/search.h"

namespace edgeprobe::diagnose::masks {
namespace {

class MaskProblem final : public search::Problem<Recipe> {
 public:
  explicit MaskProblem(Predictions& predictions) : predictions_(predictions) {}
  const Recipe& reference() const override { return predictions_.reference(); }
  std::size_t frames() const override { return predictions_.frames(); }
  std::vector<Change> changes(const Recipe& recipe) override {
    std::vector<Change> all = catalogue(predictions_, recipe);
    for (Change& change : proposed(predictions_, recipe)) all.push_back(std::move(change));
    return all;
  }
  double distance(const Recipe& recipe, std::size_t frame) override {
    return predictions_.distance(recipe, frame);
  }
  bool is_same(const Recipe& recipe, std::size_t frame) override {
    return predictions_.is_same(recipe, frame);
  }
  double bits(const Recipe& with_it, const Recipe& without_it, const Change& change,
              std::span<const std::size_t> frames) override {
    return bits_for(predictions_, with_it, without_it, change, frames);
  }

 private:
  Predictions& predictions_;
};

}  // namespace

Result<Finding> search(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
                       const Control& control) {
  Finding finding;
  for (const RecordedFrame& frame : frames) {
    const std::vector<TensorView> views(frame.outputs.begin(), frame.outputs.end());
    EP_CHECK(postprocess::segmentation::cells_of(reference, views));
    if (frame.answer.mask->classes.empty())
      return Error{ErrorKind::kUsage,
                   "frame " + std::to_string(frame.number) + ": the recorded mask has no pixel"};
  }
  if (frames.empty()) return finding;
  Predictions predictions(frames, reference, model);
  MaskProblem problem(predictions);
  EP_TRY(auto found, search::search(problem, control));
  static_cast<search::Finding<Recipe>&>(finding) = std::move(found);
  if (!finding.unlike.empty()) finding.parts = predictions.unlike(reference, finding.worst);
  return finding;
}

std::string words(const Change& change, const Recipe& reference) {
  return "the app " + change.words + "; the reference's recipe is " +
         postprocess::segmentation::to_text(reference);
}

}  // namespace edgeprobe::diagnose::masks
