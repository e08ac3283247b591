// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "diagnose/postprocessing/hypothesis.h"
#include "diagnose/postprocessing/label_codes.h"
#include "diagnose/postprocessing/recorded.h"

namespace edgeprobe::diagnose::postprocessing {

/// What of the answers can be judged by class.
enum class Judged {
  kNothing,  ///< No label and no number; or labels, and no label file.
  kNames,
  kNumbers,  ///< Class numbers, or labels that are numbers.
};

/// An answer in codes: equal names have equal ones.
struct Observed {
  std::vector<int> labels;
  std::vector<double> scores;
  std::size_t count = 0;
  bool has_labels = false, has_scores = false;
};

/// Classes of one frame in the order of a recipe, and their scores.
struct Ranked {
  bool fits = false;  ///< The recipe can read the outputs.
  std::vector<int> ids;
  std::vector<double> scores;  ///< In the order of `ids`.
  std::vector<double> by_class;
};

/// Shares of an answer that differ from a prediction, 0..1 each; all 0 when equal.
struct Parts {
  double labels = 0, scores = 0, count = 0;
  bool fits = true;
  double sum() const { return fits ? labels + scores + count : 3; }
};

inline constexpr int kNoLabel = -1;   ///< Beyond the table.
inline constexpr int kAnyLabel = -2;  ///< Not told by the frames.

/// Answers that recipes give on the recorded outputs, and their distance to the recorded answers.
/// Scores are computed once for each reading of an output. Borrows the frames.
class Predictions {
 public:
  Predictions(std::span<const RecordedFrame> frames, const postprocess::Classification& reference);
  /// For some of the frames of `all`, with its codes of names.
  Predictions(std::span<const RecordedFrame> some, const Predictions& all);

  /// The reference's recipe with its output by number and its labels present, without names.
  const postprocess::Classification& reference() const { return reference_; }
  std::size_t frames() const { return frames_.size(); }
  std::size_t outputs() const { return outputs_; }
  std::size_t classes() const { return classes_; }
  bool is_quantised() const { return quantised_; }
  Judged judged() const { return judged_; }
  bool has_scores() const { return has_scores_; }
  const Observed& observed(std::size_t frame) const { return observed_[frame]; }
  double grain() const { return grain_; }
  /// Labels that the table does not hold, each with the one name that shares its words.
  const std::map<std::string, std::string>& near_labels() const { return codes_.near(); }
  std::size_t evaluations() const { return evaluations_; }

  const Ranked& ranked(const postprocess::Classification& recipe, std::size_t frame);
  /// How many classes the recipe reports of them, and the places of these in `ids`.
  std::vector<std::size_t> reported(const postprocess::Classification& recipe,
                                    const Ranked& ranked) const;
  Parts differ(const Hypothesis& hypothesis, std::size_t frame);
  /// Compares no more than so many ranks of each answer.
  void look_at(std::size_t ranks) { ranks_ = ranks; }

  /// Code of the label that a hypothesis gives a class.
  int label(const Hypothesis& hypothesis, int id);
  /// Whether an app's label says what a name of the table says.
  bool matches(int label, int seen) const { return codes_.matches(label, seen); }
  /// Class of the reference's table with this code, or -1; by the first line that has it.
  int class_of(int label) const;
  /// Name behind a code; a number where numbers are judged.
  std::string name(int label) const;
  double tolerance(double score) const;
  /// Whether one of the classes that tie with place `at` has this label.
  bool is_tied(const Hypothesis& hypothesis, const Ranked& ranked, std::size_t at, int label);
  /// Classes whose scores tie with that place's, itself among them.
  std::size_t ties(const Hypothesis& hypothesis, const Ranked& ranked, std::size_t at) const;
  /// The score of rank `i` of these, as the app would report it.
  double score(const Hypothesis& hypothesis, const Ranked& ranked, std::size_t rank,
               std::size_t at) const;
  int label_at(const Hypothesis& hypothesis, const Ranked& ranked, std::size_t rank,
               std::size_t at);

 private:
  void judge();
  void observe();
  const std::vector<int>& table(postprocess::TableOrder order);

  std::span<const RecordedFrame> frames_;
  std::vector<std::vector<TensorSpec>> specs_of_;  ///< By frame.
  std::vector<Observed> observed_;
  postprocess::Classification reference_;
  std::shared_ptr<const postprocess::Labels> labels_;  ///< The reference's, with their names.
  std::size_t outputs_ = 0, classes_ = 0, evaluations_ = 0, ranks_ = ~std::size_t{0};
  bool quantised_ = false, has_scores_ = false;
  Judged judged_ = Judged::kNothing;
  double grain_ = 0;
  LabelCodes codes_;
  std::map<postprocess::TableOrder, std::vector<int>> tables_;
  std::vector<int> first_class_;  ///< By code.
  std::unordered_map<std::string, std::vector<Ranked>> ranked_;
};

/// Half a unit of the last decimal when all scores are rounded to at most 3 decimals, else 0.
double grain_of(const std::vector<double>& scores);

}  // namespace edgeprobe::diagnose::postprocessing
