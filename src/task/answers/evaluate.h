// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "task/answers/answer_task.h"

namespace edgeprobe::task {

/// Reads answers of a side one at a time, since masks of all frames would be large. Empty if none
/// was recorded.
using AnswerAt = std::function<Result<std::optional<trace::Answer>>(std::size_t frame)>;

/// One side's metric over all annotated frames.
struct SideScore {
  std::optional<double> value;
  std::optional<stats::Interval> ci95;
  /// Same meaning as in Details.
  std::vector<std::pair<std::string, std::optional<double>>> further;
  std::uint64_t unanswered = 0;  ///< Frames without an answer: they count as wrong.
};

/// Scores of one class on both sides.
struct ClassRow {
  std::string name;
  std::uint64_t there = 0;
  std::optional<double> reference, target;
};

struct Evaluation {
  const AnswerTask* task = nullptr;
  std::uint64_t frames = 0;  ///< Annotated frames.
  SideScore reference, target;
  std::vector<ClassRow> classes;
  std::optional<double> difference;  ///< Target minus reference.
  std::optional<stats::Interval> difference_ci95;
  double p_value = 1;
  std::string test;                   ///< "DeLong", "exchange of answers", …
  std::vector<std::string> problems;  ///< One sentence each.

  /// True if the target is worse by more than chance.
  bool is_loss() const;
};

/// Metric of one side, as Evaluation::target; `truths` are of the kind that the task reads.
Result<Evaluation> evaluate(const AnswerTask& task, Terms terms,
                            const std::vector<const Annotation*>& truths, const AnswerAt& target);
/// Same for both sides, with the difference and its test.
Result<Evaluation> evaluate(const AnswerTask& task, Terms terms,
                            const std::vector<const Annotation*>& truths, const AnswerAt& reference,
                            const AnswerAt& target);

}  // namespace edgeprobe::task
