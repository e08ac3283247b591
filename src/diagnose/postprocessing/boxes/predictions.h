// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diagnose/postprocessing/boxes/hypothesis.h"
#include "diagnose/postprocessing/label_codes.h"
#include "postprocess/detection/candidates.h"
#include "postprocess/detection/reported.h"

namespace edgeprobe::diagnose::boxes {

/// How the classes of the answers can be judged.
enum class Judged { kNothing, kNames, kNumbers };

inline constexpr int kNoLabel = -1;   ///< Class beyond the table, or without a label.
inline constexpr int kAnyLabel = -2;  ///< Label that the frames do not reveal.

/// An answer with its names as codes: equal names have equal codes.
struct Observed {
  std::vector<postprocess::detection::Numbers> boxes;
  std::vector<int> labels;     ///< One for each box.
  std::vector<double> scores;  ///< One for each box; empty if none were recorded.
  /// Points of each box; empty if they cannot be judged.
  std::vector<std::vector<postprocess::detection::ReportedPoint>> points;
  double largest = 1;  ///< Largest absolute coordinate of its boxes, at least 1.
};

/// A box as a hypothesis predicts it.
struct Said {
  postprocess::detection::Numbers box{};
  int id = 0, label = kNoLabel;
  double score = 0;
  bool is_optional = false;
  std::vector<postprocess::detection::ReportedPoint> points = {};
};

/// Fractions of an answer that differ from a prediction, each 0 to 1; all 0 if equal.
struct Parts {
  double labels = 0, scores = 0, boxes = 0, count = 0, points = 0;
  bool fits = true;  ///< The recipe can read the outputs.
  bool has_right_scores() const { return fits && scores == 0 && count < 1; }
  double sum() const { return fits ? labels + scores + boxes + count + points : 5; }
};

/// Predicts the answers of recipes on the recorded outputs, and their distance to the recorded
/// answers. Borrows the frames. Caches expensive results: the best candidates by reading and
/// activation, and remaining boxes by everything they depend on.
class Predictions {
 public:
  /// `most`: number of candidates to examine; a search uses few.
  Predictions(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
              std::size_t most);

  std::size_t frames() const { return frames_.size(); }
  const Recipe& reference() const { return reference_; }
  const Observed& observed(std::size_t frame) const { return observed_[frame]; }
  Size picture(std::size_t frame) const { return frames_[frame].picture; }
  Size model() const { return model_; }
  Judged judged() const { return judged_; }
  bool has_scores() const { return has_scores_; }
  bool judges_points() const { return judges_points_; }
  bool is_whole() const { return is_whole_; }
  bool is_quantised() const { return quantised_; }
  std::size_t outputs() const { return frames_.empty() ? 0 : frames_[0].outputs.size(); }
  std::size_t classes() const { return classes_; }
  std::size_t evaluations() const { return evaluations_; }
  /// From the reference's table.
  const std::vector<std::string>& names() const { return names_; }
  /// Name for a label's code.
  const std::string& name(int label) const { return codes_.name(label); }
  /// Labels that are not in the table, each with the only name that shares its words.
  const std::map<std::string, std::string>& near_labels() const { return codes_.near(); }

  /// Boxes left after suppression, in shares of the model's input; null if the recipe cannot read
  /// the outputs.
  const std::vector<postprocess::detection::Detection>* kept(const Recipe& recipe,
                                                             std::size_t frame);
  std::vector<Said> said(const Recipe& recipe, std::size_t frame);
  Parts differ(const Recipe& recipe, std::size_t frame);
  /// True if the reference's recipe gives the frame's boxes in another order. False without scores,
  /// which identify the boxes.
  bool is_reordered(std::size_t frame);
  /// Largest difference at which two box coordinates, or two scores, count as equal.
  double box_tolerance(const Observed& observed) const;
  double score_tolerance(double score) const;
  bool is_same_box(const Said& said, const Observed& observed, std::size_t rank) const;
  /// Fraction of a box's points that differ, weighted by distance; 0 if points are not judged.
  double points_off(const Said& said, const Observed& observed, std::size_t rank) const;
  double point_tolerance(const Observed& observed) const;
  bool is_same_point(const postprocess::detection::ReportedPoint& said,
                     const postprocess::detection::ReportedPoint& seen, double tolerance) const;
  bool is_same_label(const Said& said, const Observed& observed, std::size_t rank) const;

 private:
  /// The frame's best candidates for one reading and activation.
  struct Ranked {
    bool fits = false;
    std::vector<postprocess::detection::Candidate> best;
  };
  struct Kept {
    bool fits = false;
    std::vector<postprocess::detection::Detection> boxes;
  };
  void observe();
  void observe_points();
  Recipe anchored(const Recipe& recipe);
  int label_of(const Recipe& recipe, int id);
  std::vector<Said> in_words(const Recipe& recipe, std::size_t frame,
                             std::span<const postprocess::detection::Detection> boxes);
  const Ranked& ranked(const Recipe& recipe, std::size_t frame);
  const postprocess::detection::Codes* codes(const Recipe& recipe, std::size_t frame);
  std::vector<postprocess::detection::Detection> chosen(
      const Recipe& recipe, std::vector<postprocess::detection::Detection> candidates) const;
  Parts compare(std::vector<Said> pool, const Observed& seen) const;
  Parts compare_by_ties(const Recipe& recipe, std::size_t frame);

  std::span<const RecordedFrame> frames_;
  Recipe reference_;
  Size model_;
  std::size_t most_;
  std::vector<Observed> observed_;
  Judged judged_ = Judged::kNothing;
  bool judges_points_ = false, are_points_whole_ = false, have_points_scores_ = false;
  bool has_scores_ = false, is_whole_ = false, is_tenth_ = false, is_half_ = false;
  bool quantised_ = false;
  double grain_ = 0;
  std::size_t classes_ = 1, evaluations_ = 0;
  postprocessing::LabelCodes codes_;
  std::vector<std::string> names_;  ///< From the reference's table.
  std::map<postprocess::TableOrder, std::vector<int>> tables_;
  std::map<postprocess::detection::AnchorWalk,
           std::shared_ptr<const std::vector<postprocess::detection::Anchor>>>
      walks_;
  std::map<std::string, Ranked> ranked_;
  std::map<std::string, std::optional<postprocess::detection::Codes>> box_codes_;
  std::map<std::string, Kept> kept_;
};

}  // namespace edgeprobe::diagnose::boxes
