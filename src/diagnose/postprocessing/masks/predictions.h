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

/// Masks that recipes make of the recorded outputs, and their distance to the recorded ones.
/// Borrows the frames. Cells and decided classes are kept by what they depend on.
class Predictions {
 public:
  Predictions(std::span<const RecordedFrame> frames, Recipe reference, Size model);

  std::size_t frames() const { return frames_.size(); }
  const Recipe& reference() const { return reference_; }
  const Sample& sample(std::size_t frame) const { return samples_[frame]; }
  const trace::Mask& observed(std::size_t frame) const { return *frames_[frame].answer.mask; }
  Size picture(std::size_t frame) const { return frames_[frame].picture; }
  bool is_quantised() const { return is_quantised_; }
  /// Rows and columns of a mask that the recipe does not resize.
  std::pair<std::size_t, std::size_t> cells(const Recipe& recipe, std::size_t frame);
  std::size_t classes() const { return classes_; }

  /// Classes at the sample's pixels, before they are renamed; null: the recipe cannot read the
  /// outputs, or its mask has another size.
  const std::vector<std::int32_t>* classes_at(const Recipe& recipe, std::size_t frame);
  /// The only score at the sample's pixels, by a recipe with a threshold.
  std::vector<double> scores_at(const Recipe& recipe, std::size_t frame);

  double distance(const Recipe& recipe, std::size_t frame);
  bool is_same(const Recipe& recipe, std::size_t frame);
  /// Parts that differ, in words.
  std::vector<std::string> unlike(const Recipe& recipe, std::size_t frame);

 private:
  using DecidedCells = postprocess::segmentation::DecidedCells;
  /// Nothing: the recipe cannot read the outputs.
  std::optional<DecidedCells> decided(const Recipe& recipe, std::size_t frame);
  /// Where the recipe's mask comes from, until the next one is asked for; null: it has another size
  /// than the recorded one.
  const postprocess::segmentation::Plan* plan(const Recipe& recipe, const DecidedCells& cells,
                                              std::size_t frame);
  /// Pixels that are not as recorded, and of these the ones that are background on one side alone.
  struct Unlike {
    double wrong = 0, outline = 0;
    double sum() const { return wrong + outline; }
  };
  /// By each `step`-th pixel of the sample.
  template <class ClassOf>
  Unlike unlike_of(const Recipe& recipe, std::size_t frame, std::size_t step,
                   ClassOf class_of) const;
  std::optional<Unlike> first_look(const Recipe& recipe, std::size_t frame);
  /// Pixels that differ, of all; nothing: another size.
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
  std::map<std::string, DecidedCells> decided_;  ///< Not turned.
  std::map<std::string, std::optional<std::vector<std::int32_t>>> classes_at_;
};

}  // namespace edgeprobe::diagnose::masks
