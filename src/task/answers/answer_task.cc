// SPDX-License-Identifier: Apache-2.0
#include "task/answers/answer_task.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace edgeprobe::task {

void Statistic::problem(const std::string& sentence) {
  constexpr std::size_t kMost = 8;
  if (problems_.size() < kMost &&
      std::find(problems_.begin(), problems_.end(), sentence) == problems_.end())
    problems_.push_back(sentence);
}

const AnswerTask* answer_task_of(const trace::Answer& answer,
                                 const std::optional<Annotation>& annotation) {
  for (const AnswerTask* task : kAnswerTasks)
    if (task->is_answered(answer) && (!annotation || task->reads(*annotation))) return task;
  return nullptr;
}

double answer_floor(const AnswerTask& task, bool quantized, std::uint64_t frames) {
  return std::min(0.9,
                  (quantized ? 2 : 1) * task.floor *
                      (1 + 1 / std::sqrt(static_cast<double>(std::max<std::uint64_t>(1, frames)))));
}

std::optional<int> class_of(const trace::Answer& answer, std::size_t index, const Terms& terms) {
  const std::string* const label =
      answer.labels && index < answer.labels->size() ? &(*answer.labels)[index] : nullptr;
  const auto named = label ? terms.numbers.find(*label) : terms.numbers.end();
  // Without the app's class names, its numbers need not match the numbering of the annotations'
  // names.
  if (label && terms.classes.empty() && !terms.numbers.empty())
    return named == terms.numbers.end() ? std::nullopt : std::optional(named->second);
  if (answer.classes && index < answer.classes->size()) {
    const std::int64_t number = (*answer.classes)[index];
    if (number < 0 || number > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(number);
  }
  if (!label) return std::nullopt;
  const auto at = std::find(terms.classes.begin(), terms.classes.end(), *label);
  if (at != terms.classes.end()) return static_cast<int>(at - terms.classes.begin());
  return named == terms.numbers.end() ? std::nullopt : std::optional(named->second);
}

}  // namespace edgeprobe::task
