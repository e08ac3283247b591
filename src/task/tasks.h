// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "task/task.h"

namespace edgeprobe::task {

/// One class for each frame: correct or wrong, accuracies with Wilson's interval, the exact McNemar
/// test.
extern const Task kClassification;

/// All tasks; the first one that fits a model's outputs is used.
inline constexpr std::array<const Task*, 1> kTasks{&kClassification};

/// A task and the outputs with its answer.
struct Reading {
  const Task* task = nullptr;
  std::vector<std::size_t> outputs;  ///< From Task::outputs; at least one.
};

/// Task of a model with these outputs; empty if none fits.
std::optional<Reading> task_of(const std::vector<TensorSpec>& outputs);

/// Answer from all outputs of a frame; empty if one that the task reads is missing.
std::optional<Answer> answer_of(const Reading& reading, const Outputs& outputs);

/// Score of an answer that may be missing: empty if the annotation does not fit.
std::optional<double> score_of(const Task& task, const std::optional<Answer>& answer,
                               const std::optional<Annotation>& annotation);

}  // namespace edgeprobe::task
