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

namespace edgeprobe::diagnose::boxes {

/// What of the answers can be judged by class.
enum class Judged { kNothing, kNames, kNumbers };

inline constexpr int kNoLabel = -1;   ///< Beyond the table, or not said.
inline constexpr int kAnyLabel = -2;  ///< The frames do not say.

/// An answer in codes: equal names have equal ones.
struct Observed {
  std::vector<postprocess::detection::Numbers> boxes;
  std::vector<int> labels;     ///< One a box.
  std::vector<double> scores;  ///< One a box; empty: none were said.
  double largest = 1;          ///< Of the absolute numbers of its boxes, at least 1.
};

/// One box as a hypothesis reports it.
struct Said {
  postprocess::detection::Numbers box{};
  int id = 0, label = kNoLabel;
  double score = 0;
  bool is_optional = false;
};

/// Shares of an answer that differ from a prediction, 0..1 each; all 0 when equal.
struct Parts {
  double labels = 0, scores = 0, boxes = 0, count = 0;
  bool fits = true;  ///< The recipe can read the outputs.
  bool has_right_scores() const { return fits && scores == 0 && count < 1; }
  double sum() const { return fits ? labels + scores + boxes + count : 4; }
};

/// Answers that recipes give on the recorded outputs, and their distance to the recorded answers.
/// Borrows the frames. What is slow is kept: the best candidates by reading and activation, boxes
/// that stay by all that they depend on.
class Predictions {
 public:
  /// `most`: candidates that are looked at; a search looks at few.
  Predictions(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
              std::size_t most);

  std::size_t frames() const { return frames_.size(); }
  const Recipe& reference() const { return reference_; }
  const Observed& observed(std::size_t frame) const { return observed_[frame]; }
  Size picture(std::size_t frame) const { return frames_[frame].picture; }
  Size model() const { return model_; }
  Judged judged() const { return judged_; }
  bool has_scores() const { return has_scores_; }
  bool is_whole() const { return is_whole_; }
  bool is_quantised() const { return quantised_; }
  std::size_t outputs() const { return frames_.empty() ? 0 : frames_[0].outputs.size(); }
  std::size_t classes() const { return classes_; }
  std::size_t evaluations() const { return evaluations_; }
  /// Of the reference's table.
  const std::vector<std::string>& names() const { return names_; }
  /// Of the code of a label.
  const std::string& name(int label) const { return codes_.name(label); }
  /// Labels that the table does not hold, each with the one name that shares its words.
  const std::map<std::string, std::string>& near_labels() const { return codes_.near(); }

  /// Boxes that stay, in shares of the model's input; null: the recipe cannot read the outputs.
  const std::vector<postprocess::detection::Detection>* kept(const Recipe& recipe,
                                                             std::size_t frame);
  std::vector<Said> said(const Recipe& recipe, std::size_t frame);
  Parts differ(const Recipe& recipe, std::size_t frame);
  /// Whether the reference's recipe gives the frame's boxes, but for their order. Never without
  /// scores, which tell which is which.
  bool is_reordered(std::size_t frame);
  /// Largest difference of two numbers of a box that are the same, of two scores.
  double box_tolerance(const Observed& observed) const;
  double score_tolerance(double score) const;
  bool is_same_box(const Said& said, const Observed& observed, std::size_t rank) const;
  bool is_same_label(const Said& said, const Observed& observed, std::size_t rank) const;

 private:
  /// The best of the frame's candidates by one reading and activation.
  struct Ranked {
    bool fits = false;
    std::vector<postprocess::detection::Candidate> best;
  };
  struct Kept {
    bool fits = false;
    std::vector<postprocess::detection::Detection> boxes;
  };
  void observe();
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
  bool has_scores_ = false, is_whole_ = false, is_tenth_ = false, is_half_ = false;
  bool quantised_ = false;
  double grain_ = 0;
  std::size_t classes_ = 1, evaluations_ = 0;
  postprocessing::LabelCodes codes_;
  std::vector<std::string> names_;  ///< Of the reference's table.
  std::map<postprocess::TableOrder, std::vector<int>> tables_;
  std::map<postprocess::detection::AnchorWalk,
           std::shared_ptr<const std::vector<postprocess::detection::Anchor>>>
      walks_;
  std::map<std::string, Ranked> ranked_;
  std::map<std::string, std::optional<postprocess::detection::Codes>> box_codes_;
  std::map<std::string, Kept> kept_;
};

}  // namespace edgeprobe::diagnose::boxes
