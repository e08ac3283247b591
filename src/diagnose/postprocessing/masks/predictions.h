// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diagnose/postprocessing/masks/hypothesis.h"

namespace edgeprobe::diagnose::masks {

/// Pixels of a recorded mask that a search looks at: all of a small one, else some of those at a
/// border between classes and some of the others. Differences lie at borders.
struct Sample {
  struct Pixel {
    std::uint32_t y = 0, x = 0;
    std::int32_t number = 0;  ///< Recorded.
    double stands_for = 1;    ///< Pixels of the mask.
    bool is_border = false;
  };
  std::vector<Pixel> pixels;
  double all = 0;           ///< Pixels of the mask.
  bool is_constant = true;  ///< One number everywhere.
};
Sample sample_of(const trace::Mask& mask);

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
  struct Seen {
    postprocess::segmentation::Cells cells;
    trace::Mask decided;  ///< Empty where scores are resized first.
  };
  const Seen* seen(const Recipe& recipe, std::size_t frame);
  /// Class at one place; of tied cells the one that gives `number`, if any does.
  static std::int32_t nearest_to(std::int32_t number, const Recipe& recipe, const Seen& own,
                                 const postprocess::segmentation::Plan& plan, std::size_t y,
                                 std::size_t x);
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
  std::map<std::string, std::optional<Seen>> seen_;
  std::map<std::string, std::optional<std::vector<std::int32_t>>> classes_at_;
};

}  // namespace edgeprobe::diagnose::masks
