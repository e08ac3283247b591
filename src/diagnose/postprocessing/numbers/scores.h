// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "diagnose/postprocessing/numbers/frame.h"
#include "diagnose/postprocessing/numbers/precision.h"
#include "postprocess/anomaly/recipe.h"
#include "search/problem.h"

namespace edgeprobe::diagnose::numbers {

/// Parameters of an anomaly detector's recipe.
enum ScoreParameter : std::uint32_t {
  kScoreOutput = 1U << 0,
  kScoreInput = 1U << 1,
  kScoreReading = 1U << 2,
  kMeasure = 1U << 3,
  kWindows = 1U << 4,
  kThreshold = 1U << 5,
  kAlarmSide = 1U << 6,
};

/// Predicts the scores and alarms of recipes on the recorded tensors, and their distance to the
/// recorded ones. All frames have a score or an alarm. Borrows the frames; caches measured windows.
class Scores : public search::Problem<postprocess::anomaly::Recipe> {
 public:
  using Recipe = postprocess::anomaly::Recipe;

  Scores(std::span<const RecordedFrame> frames, const Recipe& reference);

  const Recipe& reference() const override { return reference_; }
  std::size_t frames() const override { return frames_.size(); }
  /// True if all frames have one.
  bool has_scores() const { return has_scores_; }
  bool has_alarms() const { return has_alarms_; }
  /// True if some frame has several windows.
  bool has_windows() const;

  /// 0 to 2: relative difference of the score, plus the alarm's.
  double distance(const Recipe& recipe, std::size_t frame) override;
  bool is_same(const Recipe& recipe, std::size_t frame) override {
    return distance(recipe, frame) <= 0;
  }
  std::vector<search::Change<Recipe>> changes(const Recipe& recipe) override;
  double bits(const Recipe& with_it, const Recipe& without_it, const search::Change<Recipe>& change,
              std::span<const std::size_t> frames) override;
  double bits_needed(const search::Change<Recipe>& change, std::size_t proposed,
                     std::size_t together) const override;
  /// Reason why the reference's recipe cannot run on the frames; empty if it can.
  std::string why_not();

 private:
  struct Measured {
    std::vector<double> windows;
    std::string error;  ///< Empty if the recipe can read the tensors.
  };
  const Measured& measured(const Recipe& recipe, std::size_t frame);
  std::optional<double> score(const Recipe& recipe, std::size_t frame);
  bool is_same(double said, double seen) const;
  void add_threshold(const Recipe& recipe, std::vector<search::Change<Recipe>>& out);

  using Key = std::tuple<std::size_t, std::size_t, postprocess::Reading,
                         postprocess::anomaly::Measure, std::size_t>;
  std::span<const RecordedFrame> frames_;
  Recipe reference_;
  bool has_scores_ = true, has_alarms_ = true;
  Precision precision_;
  std::map<Key, Measured> measured_;
};

}  // namespace edgeprobe::diagnose::numbers
