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

/// What models are asked to do: how an answer is read from outputs, scored against an annotation
/// and compared with another model's. tasks.h lists them.
namespace edgeprobe::task {

/// Outputs of one frame as real numbers, one vector an output tensor.
using Outputs = std::vector<std::vector<float>>;

/// Class with the largest score.
struct ClassAnswer {
  int best = -1;            ///< -1: no score but NaN.
  std::size_t classes = 0;  ///< Scores that it was chosen from.
};

/// Answer to one frame, in the terms of its task.
using Answer = std::variant<ClassAnswer>;

/// Mean score of some frames.
struct Figure {
  double sum = 0;  ///< Of the scores: the number of right answers where scores are 0 and 1.
  std::uint64_t n = 0;
  stats::Interval ci95;  ///< Of the mean.

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
  std::uint64_t reference_better = 0, target_better = 0;  ///< Frames.
  stats::Interval difference_ci95;  ///< Of the target's mean minus the reference's.
  double p_value = 1;               ///< That both are equally good.
  /// Frames that would tell the difference from chance; nothing where it is told, or none was seen.
  std::optional<std::uint64_t> required_sample_size;
};

/// One task, as a table of functions without state.
struct Task {
  std::string_view name;    ///< "classification".
  std::string_view metric;  ///< Of the mean score: "top1_accuracy".
  /// Frames that fail, in words: by their annotation, and beside the reference.
  std::string_view wrong, unlike_reference;

  /// Indices of the outputs that hold the answer, in the order of answer(); empty: another task's.
  std::vector<std::size_t> (*outputs)(const std::vector<TensorSpec>&);
  /// Answer in the values of these outputs. Nothing when one of them is empty.
  std::optional<Answer> (*answer)(const Outputs&);
  /// Whether the model gave any: false for values that are all NaN.
  bool (*is_given)(const Answer&);
  /// 0..1, where 1 is right. Nothing when the annotation is of a kind or a range that the answer
  /// cannot be measured by. An answer that is not given scores 0.
  std::optional<double> (*score)(const Answer&, const Annotation&);
  Figure (*aggregate)(std::span<const double> scores);
  PairedTest (*paired_test)(std::span<const ScorePair>);
  /// Agreement of two answers to one frame, 0..1; aggregate() sums it up.
  double (*agreement)(const Answer&, const Answer&);
};

}  // namespace edgeprobe::task
