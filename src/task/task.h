// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tensor.h"
#include "stats/interval.h"
#include "task/annotation.h"

/// The tasks of models: how to read an answer from outputs, score it against an annotation and
/// compare it with another model's. tasks.h lists them.
namespace edgeprobe::task {

/// Outputs of one frame as real numbers, one vector for each output tensor.
using Outputs = std::vector<std::vector<float>>;

/// Class with the largest score.
struct ClassAnswer {
  int best = -1;            ///< -1: all scores are NaN.
  std::size_t classes = 0;  ///< Number of scores to choose from.
};

/// Answer to one frame, in the terms of its task.
using Answer = std::variant<ClassAnswer>;

/// Mean score of some frames.
struct Figure {
  double sum = 0;  ///< Sum of the scores: the number of correct answers if scores are 0 and 1.
  std::uint64_t n = 0;
  stats::Interval ci95;  ///< 95 % interval of the mean.

  std::optional<double> mean() const {
    return n ? std::optional<double>(sum / static_cast<double>(n)) : std::nullopt;
  }
};

/// Scores of two models on the same frame.
struct ScorePair {
  double reference = 0, target = 0;
};

/// Target against reference, on the frames that both answered.
struct PairedTest {
  std::uint64_t reference_better = 0, target_better = 0;  ///< Number of frames.
  stats::Interval difference_ci95;  ///< For the target's mean minus the reference's.
  double p_value = 1;               ///< For the hypothesis that both are equally good.
  /// Number of frames that would distinguish the difference from chance; empty if these frames
  /// already do, or if no difference was observed.
  std::optional<std::uint64_t> required_sample_size;
};

/// One task, as a table of functions without state.
struct Task {
  std::string_view name;    ///< "classification".
  std::string_view metric;  ///< Name of the mean score: "top1_accuracy".
  /// Descriptions of failing frames: by their annotation, and relative to the reference.
  std::string_view wrong, unlike_reference;

  /// Indices of the outputs that hold the answer, in the order of answer(); empty if the task does
  /// not fit.
  std::vector<std::size_t> (*outputs)(const std::vector<TensorSpec>&);
  /// Answer in the values of these outputs. Empty if one of them is empty.
  std::optional<Answer> (*answer)(const Outputs&);
  /// True if the model gave an answer: false if all values are NaN.
  bool (*is_given)(const Answer&);
  /// 0..1, where 1 is correct. Empty if the annotation has a kind or range that does not apply to
  /// the answer. A missing answer scores 0.
  std::optional<double> (*score)(const Answer&, const Annotation&);
  Figure (*aggregate)(std::span<const double> scores);
  PairedTest (*paired_test)(std::span<const ScorePair>);
  /// Agreement of two answers to one frame, 0..1; aggregate() combines them.
  double (*agreement)(const Answer&, const Answer&);
};

}  // namespace edgeprobe::task
