// SPDX-License-Identifier: Apache-2.0
#include "task/tasks.h"

namespace edgeprobe::task {

std::optional<Reading> task_of(const std::vector<TensorSpec>& outputs) {
  for (const Task* task : kTasks)
    if (auto places = task->outputs(outputs); !places.empty())
      return Reading{task, std::move(places)};
  return std::nullopt;
}

std::optional<Answer> answer_of(const Reading& reading, const Outputs& outputs) {
  Outputs read;
  for (const std::size_t place : reading.outputs) {
    if (place >= outputs.size()) return std::nullopt;
    read.push_back(outputs[place]);
  }
  return reading.task->answer(read);
}

std::optional<double> score_of(const Task& task, const std::optional<Answer>& answer,
                               const std::optional<Annotation>& annotation) {
  return answer && annotation ? task.score(*answer, *annotation) : std::nullopt;
}

}  // namespace edgeprobe::task
