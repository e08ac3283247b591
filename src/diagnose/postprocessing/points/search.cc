// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/points/search.h"

#include "diagnose/postprocessing/points/changes.h"
#include "search/search.h"

namespace edgeprobe::diagnose::points {
namespace {

class PointProblem final : public search::Problem<Recipe> {
 public:
  explicit PointProblem(Predictions& predictions) : predictions_(predictions) {}
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
    return change.sets == kThreshold ? search::kBitsOfCuts : search::bits_needed(proposed);
  }

 private:
  Predictions& predictions_;
};

std::vector<std::string> unlike(const Parts& parts) {
  if (!parts.fits) return {"number of points"};
  std::vector<std::string> out;
  if (parts.points > 0) out.emplace_back("points");
  if (parts.shown > 0) out.emplace_back("which are shown");
  if (parts.scores > 0) out.emplace_back("scores");
  return out;
}

}  // namespace

Result<Finding> search(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
                       const Control& control) {
  Finding finding;
  for (const RecordedFrame& frame : frames) {
    const std::vector<TensorView> views(frame.outputs.begin(), frame.outputs.end());
    EP_CHECK(postprocess::pose::points_of(reference, views, model));
  }
  if (frames.empty()) return finding;
  Predictions predictions(frames, reference, model);
  PointProblem problem(predictions);
  EP_TRY(auto found, search::search(problem, control));
  static_cast<search::Finding<Recipe>&>(finding) = std::move(found);
  finding.has_scores = predictions.has_scores();
  if (!finding.unlike.empty()) finding.parts = unlike(predictions.differ(reference, finding.worst));
  return finding;
}

std::string words(const Change& change, const Recipe& reference) {
  return "the app " + change.words + "; the reference's recipe is " +
         postprocess::pose::to_text(reference);
}

}  // namespace edgeprobe::diagnose::points
