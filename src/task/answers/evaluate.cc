// SPDX-License-Identifier: Apache-2.0
#include "task/answers/evaluate.h"

#include <algorithm>
#include <map>

#include "stats/resample.h"
#include "stats/significance.h"

namespace edgeprobe::task {
namespace {

void add_names(const std::vector<const Annotation*>& truths, Terms& terms) {
  for (const Annotation* truth : truths)
    if (const auto* there = std::get_if<TrueBoxes>(truth))
      for (const TrueBox& one : there->boxes)
        if (!one.name.empty()) terms.numbers.emplace(one.name, one.label);
}

Status add_side(const std::vector<const Annotation*>& truths, const AnswerAt& answers,
                const AnswerTask& task, Statistic& statistic, SideScore& side) {
  for (std::size_t i = 0; i < truths.size(); ++i) {
    EP_TRY(const auto answer, answers(i));
    const bool given = answer && task.is_answered(*answer);
    side.unanswered += !given;
    statistic.add(given ? &*answer : nullptr, *truths[i]);
  }
  return {};
}

std::optional<stats::Interval> interval_of(const Statistic& statistic, std::size_t first,
                                           std::size_t frames, std::size_t all) {
  std::vector<std::uint32_t> weights(all, 0);
  std::fill_n(weights.begin() + static_cast<std::ptrdiff_t>(first), frames, 1);
  if (auto closed = statistic.interval(weights)) return closed;
  return stats::bootstrap(
      frames,
      [&](Weights drawn) {
        std::copy(drawn.begin(), drawn.end(), weights.begin() + static_cast<std::ptrdiff_t>(first));
        return statistic.value(weights);
      },
      stats::draws_for(statistic.cost()));
}

void score_side(const Statistic& statistic, std::size_t first, std::size_t frames, std::size_t all,
                SideScore& side, std::vector<ClassScore>& classes) {
  std::vector<std::uint32_t> weights(all, 0);
  std::fill_n(weights.begin() + static_cast<std::ptrdiff_t>(first), frames, 1);
  side.value = statistic.value(weights);
  if (side.value) side.ci95 = interval_of(statistic, first, frames, all);
  Details details = statistic.details(weights);
  side.further = std::move(details.further);
  classes = std::move(details.classes);
}

std::vector<ClassRow> table_of(const std::vector<ClassScore>& reference,
                               const std::vector<ClassScore>& target) {
  std::vector<ClassRow> rows;
  std::map<std::string, std::size_t> places;
  for (const ClassScore& one : reference) {
    places.emplace(one.name, rows.size());
    rows.push_back({one.name, one.there, one.value, std::nullopt});
  }
  for (const ClassScore& one : target) {
    const auto [at, fresh] = places.emplace(one.name, rows.size());
    if (fresh) rows.push_back({one.name, one.there, std::nullopt, std::nullopt});
    rows[at->second].target = one.value;
  }
  return rows;
}

}  // namespace

bool Evaluation::is_loss() const {
  return task && difference && stats::is_significant(p_value) &&
         (task->higher_is_better ? *difference < 0 : *difference > 0);
}

Result<Evaluation> evaluate(const AnswerTask& task, Terms terms,
                            const std::vector<const Annotation*>& truths, const AnswerAt& target) {
  add_names(truths, terms);
  Evaluation result;
  result.task = &task;
  result.frames = truths.size();
  const auto statistic = task.start(terms);
  EP_CHECK(add_side(truths, target, task, *statistic, result.target));
  statistic->finish();
  std::vector<ClassScore> classes;
  score_side(*statistic, 0, truths.size(), truths.size(), result.target, classes);
  result.classes = table_of({}, classes);
  result.problems = statistic->problems();
  return result;
}

Result<Evaluation> evaluate(const AnswerTask& task, Terms terms,
                            const std::vector<const Annotation*>& truths, const AnswerAt& reference,
                            const AnswerAt& target) {
  add_names(truths, terms);
  Evaluation result;
  result.task = &task;
  const std::size_t frames = truths.size();
  result.frames = frames;
  const auto statistic = task.start(terms);
  EP_CHECK(add_side(truths, reference, task, *statistic, result.reference));
  statistic->begin_second_side();
  EP_CHECK(add_side(truths, target, task, *statistic, result.target));
  statistic->finish();
  std::vector<ClassScore> of_reference, of_target;
  score_side(*statistic, 0, frames, 2 * frames, result.reference, of_reference);
  score_side(*statistic, frames, frames, 2 * frames, result.target, of_target);
  result.classes = table_of(of_reference, of_target);
  result.problems = statistic->problems();
  if (!result.reference.value || !result.target.value) return result;
  result.difference = *result.target.value - *result.reference.value;
  const auto closed = statistic->paired_test();
  if (closed) {
    result.test = closed->name;
    result.p_value = closed->p_value;
    result.difference_ci95 = closed->difference_ci95;
  }
  if (closed && closed->difference_ci95) return result;
  const auto drawn = stats::paired(
      frames, [&](Weights weights) { return statistic->value(weights); },
      stats::draws_for(statistic->cost()));
  result.difference_ci95 = drawn.difference_ci95;
  if (closed) return result;
  result.test = "exchange of answers";
  result.p_value = drawn.p_value;
  return result;
}

}  // namespace edgeprobe::task
