// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "task/answers/statistic.h"

/// Tasks with answers recorded by an app, as a table. Tasks read from outputs: task/task.h.
namespace edgeprobe::task {

struct AnswerTask {
  std::string_view name;    ///< "detection".
  std::string_view metric;  ///< "average_precision".
  std::string_view title;   ///< Title of the metric: "AP@.5:.95".
  bool higher_is_better = true;
  std::string_view things;  ///< Unit counted in the class table: "boxes".
  /// Largest disagreement (1 minus the mean agreement) that does not count as a difference, over
  /// many frames; doubled if a side computes in integers.
  double floor = 0;

  bool (*reads)(const Annotation&);
  /// True if the answer has the parts that the task reads.
  bool (*is_answered)(const trace::Answer&);
  std::unique_ptr<Statistic> (*start)(const Terms&);
  /// Agreement of two answers to one frame, 0..1, where 1 is equal. Empty if they cannot be
  /// compared: one uses labels, the other numbers.
  std::optional<double> (*agreement)(const trace::Answer&, const trace::Answer&, const Terms&);
};

extern const AnswerTask kDetection, kPose, kSegmentation, kAnomaly, kEmbedding, kRetrieval,
    kSequence, kClasses;

/// In the order in which answers are tried: a box has classes and scores as well.
inline constexpr std::array<const AnswerTask*, 8> kAnswerTasks{
    &kDetection, &kPose,     &kSegmentation, &kRetrieval,
    &kEmbedding, &kSequence, &kAnomaly,      &kClasses};

/// The task that reads both the answer and the annotation; null if none does. Without an
/// annotation, the first task that reads the answer.
const AnswerTask* answer_task_of(const trace::Answer& answer,
                                 const std::optional<Annotation>& annotation);

/// The largest disagreement (1 minus the mean agreement) over this number of frames that does not
/// count as a difference.
double answer_floor(const AnswerTask& task, bool quantized, std::uint64_t frames);

/// Class number of entry `index` of an answer, a label or a number; empty if there is none, or if
/// the label is not among the names.
std::optional<int> class_of(const trace::Answer& answer, std::size_t index, const Terms& terms);

}  // namespace edgeprobe::task
