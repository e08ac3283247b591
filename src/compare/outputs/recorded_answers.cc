// SPDX-License-Identifier: Apache-2.0
#include "compare/outputs/recorded_answers.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "stats/bootstrap.h"
#include "trace/read/answers.h"

namespace edgeprobe::compare {
namespace {

using OneAnswer = std::optional<trace::Answer>;

/// Selects the task of most frames with an annotation; without annotations, of most answers.
class Vote {
 public:
  void add(const trace::Answer& answer, const std::optional<task::Annotation>& truth) {
    const bool judged = truth && !std::holds_alternative<task::OtherAnnotation>(*truth);
    count(task::answer_task_of(answer, std::nullopt), by_answer_);
    if (judged) count(task::answer_task_of(answer, truth), by_truth_);
  }
  const task::AnswerTask* winner() const {
    const task::AnswerTask* const judged = most(by_truth_);
    return judged ? judged : most(by_answer_);
  }

 private:
  using Counts = std::array<std::size_t, task::kAnswerTasks.size()>;
  static void count(const task::AnswerTask* task, Counts& counts) {
    const auto at = std::find(task::kAnswerTasks.begin(), task::kAnswerTasks.end(), task);
    if (at != task::kAnswerTasks.end())
      ++counts[static_cast<std::size_t>(at - task::kAnswerTasks.begin())];
  }
  static const task::AnswerTask* most(const Counts& counts) {
    const auto best = std::max_element(counts.begin(), counts.end());
    return *best ? task::kAnswerTasks[static_cast<std::size_t>(best - counts.begin())] : nullptr;
  }

  Counts by_truth_{}, by_answer_{};
};

Result<OneAnswer> target_answer(const JoinedFrames& frames, std::size_t i) {
  return trace::answer_of(*frames.target, frames.numbers[i].second);
}
Result<OneAnswer> reference_answer(const JoinedFrames& frames, std::size_t i) {
  return trace::answer_of(*frames.reference, frames.numbers[i].first);
}

Result<const task::AnswerTask*> task_of_answers(const JoinedFrames& frames) {
  Vote vote;
  for (std::size_t i = 0; i < frames.numbers.size(); ++i) {
    EP_TRY(auto answer, target_answer(frames, i));
    if (!answer) {
      EP_TRY(answer, reference_answer(frames, i));
    }
    if (answer) vote.add(*answer, frames.truths[i]);
  }
  return vote.winner();
}

// Sums and cosines of equal answers deviate by rounding; any different part counts more.
constexpr double kSameAnswer = 1 - 1e-7;

Status add_agreement(const JoinedFrames& frames, const task::Terms& terms,
                     AnswerAgreement& result) {
  std::vector<double> same;
  std::uint64_t one_side = 0, unlike = 0;
  for (std::size_t i = 0; i < frames.numbers.size(); ++i) {
    EP_TRY(const auto reference, reference_answer(frames, i));
    EP_TRY(const auto target, target_answer(frames, i));
    const bool first = reference && result.task->is_answered(*reference),
               second = target && result.task->is_answered(*target);
    one_side += first && !second;
    if (!first || !second) continue;
    const auto agreement = result.task->agreement(*reference, *target, terms);
    if (!agreement) {
      ++unlike;
      continue;
    }
    same.push_back(*agreement >= kSameAnswer ? 1 : *agreement);
    result.equal += same.back() >= 1;
    if (same.size() == 1 || same.back() < result.worst) {
      result.worst = same.back();
      result.worst_frame = frames.numbers[i].second;
    }
  }
  result.frames = same.size();
  if (one_side > 0)
    result.problems.push_back("the target gives no answer in " + counted(one_side, "frame") +
                              " in which the reference does");
  if (unlike > 0)
    result.problems.push_back("answers of " + counted(unlike, "frame") +
                              " cannot be compared with each other: one side names its classes, "
                              "the other numbers them, or gives scores where the other gives "
                              "alarms");
  result.compared = same.size();
  result.frames += unlike;
  if (same.empty()) return {};
  double sum = 0;
  for (const double one : same) sum += one;
  result.mean = sum / static_cast<double>(same.size());
  result.ci95 = stats::bootstrap_mean(same);
  return {};
}

// Adds the metric over the frames whose annotation the task reads.
Status add_evaluation(const JoinedFrames& frames, const task::Terms& terms,
                      AnswerAgreement& result) {
  std::vector<const task::Annotation*> truths;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < frames.truths.size(); ++i)
    if (frames.truths[i] && result.task->reads(*frames.truths[i])) {
      truths.push_back(&*frames.truths[i]);
      places.push_back(i);
    }
  if (truths.empty()) return {};
  const task::AnswerAt target = [&](std::size_t i) { return target_answer(frames, places[i]); };
  const task::AnswerAt reference = [&](std::size_t i) {
    return reference_answer(frames, places[i]);
  };
  EP_TRY(auto evaluation, result.frames > 0
                              ? task::evaluate(*result.task, terms, truths, reference, target)
                              : task::evaluate(*result.task, terms, truths, target));
  result.problems.insert(result.problems.end(), evaluation.problems.begin(),
                         evaluation.problems.end());
  result.evaluation = std::move(evaluation);
  return {};
}

}  // namespace

Result<std::optional<AnswerAgreement>> compare_answers(const JoinedFrames& frames,
                                                       const task::Terms& terms, bool quantized) {
  std::optional<AnswerAgreement> result;
  if (trace::answer_channels(*frames.target).empty()) return result;
  EP_TRY(const auto task, task_of_answers(frames));
  if (!task) return result;
  result.emplace();
  result->task = task;
  EP_CHECK(add_agreement(frames, terms, *result));
  EP_CHECK(add_evaluation(frames, terms, *result));
  result->floor = task::answer_floor(*task, quantized, result->frames);
  return result;
}

}  // namespace edgeprobe::compare
