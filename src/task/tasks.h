// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "task/task.h"

namespace edgeprobe::task {

/// One class for each frame: right or wrong, accuracies with Wilson's interval, the exact McNemar
/// test.
extern const Task kClassification;

/// All tasks; the first that a model's outputs fit is taken.
inline constexpr std::array<const Task*, 1> kTasks{&kClassification};

/// A task and where a model answers it.
struct Reading {
  const Task* task = nullptr;
  std::vector<std::size_t> outputs;  ///< As Task::outputs gives them; at least one.
};

/// Task of a model with these outputs; nothing when none fits.
std::optional<Reading> task_of(const std::vector<TensorSpec>& outputs);

/// Answer among all outputs of a frame; nothing when one that the task reads is missing.
std::optional<Answer> answer_of(const Reading& reading, const Outputs& outputs);

/// Score for an answer that may be missing: nothing where the annotation does not fit it.
std::optional<double> score_of(const Task& task, const std::optional<Answer>& answer,
                               const std::optional<Annotation>& annotation);

}  // namespace edgeprobe::task
