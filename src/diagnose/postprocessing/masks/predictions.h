// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "diagnose/postprocessing/masks/hypothesis.h"
#include "diagnose/postprocessing/masks/sample.h"

namespace edgeprobe::diagnose::masks {

/// Predicts the masks of recipes on the recorded outputs, and their distance to the recorded masks.
/// Borrows the frames. Caches cells and decided classes by the parameters they depend on.
class Predictions {
 public:
  Predictions(std::span<const RecordedFrame> frames, Recipe reference, Size model);

  std::size_t frames() const { return frames_.size(); }
  const Recipe& reference() const { return reference_; }
  const Sample& sample(std::size_t frame) const { return samples_[frame]; }
  const trace::Mask& observed(std::size_t frame) const { return *frames_[frame].answer.mask; }
  Size picture(std::size_t frame) const { return frames_[frame].picture; }
  bool is_quantised() const { return is_quantised_; }
  /// Rows and columns of the mask before resizing.
  std::pair<std::size_t, std::size_t> cells(const Recipe& recipe, std::size_t frame);
  std::size_t classes() const { return classes_; }

  /// Classes at the sample's pixels before renaming; null if the recipe cannot read the outputs or
  /// its mask has another size.
  const std::vector<std::int32_t>* classes_at(const Recipe& recipe, std::size_t frame);
  /// The single score at each of the sample's pixels, for a recipe with a threshold.
  std::vector<double> scores_at(const Recipe& recipe, std::size_t frame);

  double distance(const Recipe& recipe, std::size_t frame);
  bool is_same(const Recipe& recipe, std::size_t frame);
  /// Names of the parts that differ.
  std::vector<std::string> unlike(const Recipe& recipe, std::size_t frame);

 private:
  using DecidedCells = postprocess::segmentation::DecidedCells;
  /// Nothing if the recipe cannot read the outputs.
  std::optional<DecidedCells> decided(const Recipe& recipe, std::size_t frame);
  /// Source cells of the recipe's mask, valid until the next call; null if its size differs from
  /// the recorded one.
  const postprocess::segmentation::Plan* plan(const Recipe& recipe, const DecidedCells& cells,
                                              std::size_t frame);
  /// Pixels that differ from the recorded ones; `outline` counts those that are background on only
  /// one side.
  struct Unlike {
    double wrong = 0, outline = 0;
    double sum() const { return wrong + outline; }
  };
  /// Counts every `step`-th pixel of the sample.
  template <class ClassOf>
  Unlike unlike_of(const Recipe& recipe, std::size_t frame, std::size_t step,
                   ClassOf class_of) const;
  std::optional<Unlike> first_look(const Recipe& recipe, std::size_t frame);
  /// Fraction of pixels that differ; nothing if the sizes differ.
  std::optional<double> wrong(const Recipe& recipe, std::size_t frame);
  double allowed(std::size_t frame) const;

  std::span<const RecordedFrame> frames_;
  Recipe reference_;
  Size model_;
  std::vector<Sample> samples_;
  bool is_quantised_ = false;
  std::size_t classes_ = 2, kept_bytes_ = 0;
  std::vector<std::optional<double>> reference_wrong_;
  std::map<std::string, std::optional<postprocess::segmentation::Cells>> cells_;
  using PlanKey = std::tuple<std::size_t, std::size_t, std::size_t, int, std::string>;
  std::map<PlanKey, postprocess::segmentation::Plan> plans_;
  std::map<std::string, DecidedCells> decided_;  ///< Before rotation.
  std::map<std::string, std::optional<std::vector<std::int32_t>>> classes_at_;
};

}  // namespace edgeprobe::diagnose::masks
