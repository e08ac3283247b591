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

/// How the classes of the answers can be judged.
enum class Judged {
  kNothing,  ///< No labels and no numbers, or labels without a label file.
  kNames,
  kNumbers,  ///< Class numbers, or labels that are numbers.
};

/// An answer with its names as codes: equal names have equal codes.
struct Observed {
  std::vector<int> labels;
  std::vector<double> scores;
  std::size_t count = 0;
  bool has_labels = false, has_scores = false;
};

/// Classes of one frame in a recipe's order, with their scores.
struct Ranked {
  bool fits = false;  ///< The recipe can read the outputs.
  std::vector<int> ids;
  std::vector<double> scores;  ///< In the order of `ids`.
  std::vector<double> by_class;
};

/// Fractions of an answer that differ from a prediction, each 0 to 1; all 0 if equal.
struct Parts {
  double labels = 0, scores = 0, count = 0;
  bool fits = true;
  double sum() const { return fits ? labels + scores + count : 3; }
};

inline constexpr int kNoLabel = -1;   ///< Class beyond the table.
inline constexpr int kAnyLabel = -2;  ///< Label that the frames do not reveal.

/// Predicts the answers of recipes on the recorded outputs, and their distance to the recorded
/// answers. Computes scores once for each reading of an output. Borrows the frames.
class Predictions {
 public:
  Predictions(std::span<const RecordedFrame> frames, const postprocess::Classification& reference);
  /// Predictions for some of the frames of `all`; shares its name codes.
  Predictions(std::span<const RecordedFrame> some, const Predictions& all);

  /// The reference's recipe with its output as a number, and its labels without names.
  const postprocess::Classification& reference() const { return reference_; }
  std::size_t frames() const { return frames_.size(); }
  std::size_t outputs() const { return outputs_; }
  std::size_t classes() const { return classes_; }
  bool is_quantised() const { return quantised_; }
  Judged judged() const { return judged_; }
  bool has_scores() const { return has_scores_; }
  const Observed& observed(std::size_t frame) const { return observed_[frame]; }
  double grain() const { return grain_; }
  /// Labels that are not in the table, each with the only name that shares its words.
  const std::map<std::string, std::string>& near_labels() const { return codes_.near(); }
  std::size_t evaluations() const { return evaluations_; }

  const Ranked& ranked(const postprocess::Classification& recipe, std::size_t frame);
  /// Positions in `ids` of the classes that the recipe reports.
  std::vector<std::size_t> reported(const postprocess::Classification& recipe,
                                    const Ranked& ranked) const;
  Parts differ(const Hypothesis& hypothesis, std::size_t frame);
  /// Compares at most this many ranks of each answer.
  void look_at(std::size_t ranks) { ranks_ = ranks; }

  /// Code of a class's label under a hypothesis.
  int label(const Hypothesis& hypothesis, int id);
  /// True if an app's label means this name of the table.
  bool matches(int label, int seen) const { return codes_.matches(label, seen); }
  /// Class of the reference's table with this code (its first line), or -1.
  int class_of(int label) const;
  /// Name for a code; the number if numbers are judged.
  std::string name(int label) const;
  double tolerance(double score) const;
  /// True if a class that ties with position `at` has this label.
  bool is_tied(const Hypothesis& hypothesis, const Ranked& ranked, std::size_t at, int label);
  /// Number of classes whose scores tie with this position, including itself.
  std::size_t ties(const Hypothesis& hypothesis, const Ranked& ranked, std::size_t at) const;
  /// Score at a rank, as the app would report it.
  double score(const Hypothesis& hypothesis, const Ranked& ranked, std::size_t rank,
               std::size_t at) const;
  int label_at(const Hypothesis& hypothesis, const Ranked& ranked, std::size_t rank,
               std::size_t at);

 private:
  void judge();
  void observe();
  const std::vector<int>& table(postprocess::TableOrder order);

  std::span<const RecordedFrame> frames_;
  std::vector<std::vector<TensorSpec>> specs_of_;  ///< Indexed by frame.
  std::vector<Observed> observed_;
  postprocess::Classification reference_;
  /// The reference's labels, with their names.
  std::shared_ptr<const postprocess::Labels> labels_;
  std::size_t outputs_ = 0, classes_ = 0, evaluations_ = 0, ranks_ = ~std::size_t{0};
  bool quantised_ = false, has_scores_ = false;
  Judged judged_ = Judged::kNothing;
  double grain_ = 0;
  LabelCodes codes_;
  std::map<postprocess::TableOrder, std::vector<int>> tables_;
  std::vector<int> first_class_;  ///< Indexed by code.
  std::unordered_map<std::string, std::vector<Ranked>> ranked_;
};

/// Half a unit of the last decimal if all scores are rounded to at most 3 decimals, else 0.
double grain_of(const std::vector<double>& scores);

}  // namespace edgeprobe::diagnose::postprocessing
