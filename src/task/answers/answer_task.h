// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "task/answers/statistic.h"

/// Tasks whose answers an app records, as a table. Those that are read from outputs: task/task.h.
namespace edgeprobe::task {

struct AnswerTask {
  std::string_view name;    ///< "detection".
  std::string_view metric;  ///< "average_precision".
  std::string_view title;   ///< Of the metric, in words: "AP@.5:.95".
  bool higher_is_better = true;
  std::string_view things;  ///< What the class table counts: "boxes".
  /// 1 minus the mean agreement of two answers that is no finding, of many frames; twice that where
  /// a side computes in integers.
  double floor = 0;

  bool (*reads)(const Annotation&);
  bool (*is_answered)(const trace::Answer&);  ///< Whether it has the parts that the task reads.
  std::unique_ptr<Statistic> (*start)(const Terms&);
  /// Of two answers to one frame, 0..1, where 1 is the same. Nothing where they cannot be compared:
  /// one in labels, the other in numbers.
  std::optional<double> (*agreement)(const trace::Answer&, const trace::Answer&, const Terms&);
};

extern const AnswerTask kDetection, kPose, kSegmentation, kAnomaly, kEmbedding, kRetrieval,
    kSequence, kClasses;

/// In the order in which an answer is taken for one: a box has classes and scores as well.
inline constexpr std::array<const AnswerTask*, 8> kAnswerTasks{
    &kDetection, &kPose,     &kSegmentation, &kRetrieval,
    &kEmbedding, &kSequence, &kAnomaly,      &kClasses};

/// The task that reads both; nothing when none does. Without an annotation the first that is
/// answered.
const AnswerTask* answer_task_of(const trace::Answer& answer,
                                 const std::optional<Annotation>& annotation);

/// 1 minus the mean agreement over so many frames that is no finding.
double answer_floor(const AnswerTask& task, bool quantized, std::uint64_t frames);

/// Number of the class that an answer names first for its place `index`, a label or a number;
/// nothing when it names none, or one that the names do not hold.
std::optional<int> class_of(const trace::Answer& answer, std::size_t index, const Terms& terms);

}  // namespace edgeprobe::task
