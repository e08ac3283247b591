// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diagnose/postprocessing/points/hypothesis.h"

namespace edgeprobe::diagnose::points {

/// The recorded values of one point.
struct Observed {
  double first = 0, second = 0;  ///< x and y in the app's order and unit.
  double score = 0;
  bool is_shown = true;
};

/// A point as a recipe predicts it.
struct Said {
  double first = 0, second = 0, score = 0;
  bool is_shown = true;
  bool is_near_threshold = false;  ///< Rounding decides whether it is shown.
};

/// Fractions of an answer that differ from a prediction, each 0 to 1; all 0 if equal.
struct Parts {
  double points = 0, shown = 0, scores = 0;
  bool fits = true;  ///< The answer has the recipe's number of points.
  double sum() const { return fits ? points + shown + scores : 4; }
};

/// Predicts the points of recipes on the recorded outputs, and their distance to the recorded ones.
/// Borrows the frames.
class Predictions {
 public:
  Predictions(std::span<const RecordedFrame> frames, const Recipe& reference, Size model);

  std::size_t frames() const { return frames_.size(); }
  const Recipe& reference() const { return reference_; }
  const std::vector<Observed>& observed(std::size_t frame) const { return observed_[frame]; }
  Size picture(std::size_t frame) const { return frames_[frame].picture; }
  bool has_scores() const { return has_scores_; }
  bool is_whole() const { return is_whole_; }
  bool is_quantised() const { return is_quantised_; }
  /// Largest recorded coordinate of a frame, at least 1.
  double largest(std::size_t frame) const { return largest_[frame]; }
  /// Largest difference at which two coordinates, or two scores, count as equal.
  double tolerance(std::size_t frame) const;
  double score_tolerance(double score) const;

  /// The model's points in its order, with activated scores.
  const std::vector<postprocess::pose::Point>& points(const Recipe& recipe, std::size_t frame);
  std::vector<Said> said(const Recipe& recipe, std::size_t frame);
  Parts differ(const Recipe& recipe, std::size_t frame);

 private:
  std::span<const RecordedFrame> frames_;
  Recipe reference_;
  Size model_;
  std::vector<std::vector<Observed>> observed_;
  std::vector<double> largest_;
  bool has_scores_ = false, is_whole_ = false, is_half_ = false, is_tenth_ = false,
       is_quantised_ = false;
  double grain_ = 0;  ///< All scores are multiples of it; 0: no such unit.
  std::map<std::string, std::vector<postprocess::pose::Point>> points_;
};

}  // namespace edgeprobe::diagnose::points
