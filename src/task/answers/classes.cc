// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.h"
#include "stats/proportion.h"
#include "task/answers/answer_task.h"
#include "task/answers/means.h"

namespace edgeprobe::task {
namespace {

// Index of an answer's best class: the one with the largest score, or else the first.
std::optional<std::size_t> best_place(const trace::Answer& answer) {
  const std::size_t count = answer.classes  ? answer.classes->size()
                            : answer.labels ? answer.labels->size()
                                            : 0;
  if (count == 0) return std::nullopt;
  if (!answer.scores || answer.scores->size() != count) return std::size_t{0};
  std::size_t best = 0;
  for (std::size_t i = 1; i < count; ++i)
    if ((*answer.scores)[i] > (*answer.scores)[best] || std::isnan((*answer.scores)[best]))
      best = i;
  return best;
}

class Classes final : public Statistic {
 public:
  explicit Classes(const Terms& terms) : terms_(terms) {}

  bool add(const trace::Answer* answer, const Annotation& truth) override {
    const std::vector<int> right = classes_of(truth);
    const auto place = answer ? best_place(*answer) : std::nullopt;
    const auto said = place ? class_of(*answer, *place, terms_) : std::nullopt;
    const bool named = !place || said;
    if (!named && answer->labels && terms_.classes.empty())
      problem(
          "answers name their classes, the annotations number them; give the names with "
          "--classes");
    else if (!named) problem("labels of answers are beyond the classes: they count as wrong");
    scores_.emplace_back(said && std::find(right.begin(), right.end(), *said) != right.end() ? 1.0
                                                                                             : 0.0);
    truths_.push_back(right.size() == 1 ? right.front() : -1);
    return named;
  }

  std::optional<double> value(Weights weights) const override {
    return mean_score(scores_, weights);
  }
  Details details(Weights weights) const override {
    std::map<int, std::pair<std::uint64_t, std::uint64_t>> by_class;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      auto& [right, all] = by_class[truths_[i]];
      right += *scores_[i] > 0 ? weights[i] : 0;
      all += weights[i];
    }
    Details details;
    for (const auto& [label, one] : by_class)
      if (label >= 0 && one.second > 0)
        details.classes.push_back(
            {static_cast<std::size_t>(label) < terms_.classes.size()
                 ? terms_.classes[static_cast<std::size_t>(label)]
                 : std::to_string(label),
             one.second, static_cast<double>(one.first) / static_cast<double>(one.second)});
    return details;
  }
  std::optional<stats::Interval> interval(Weights weights) const override {
    std::uint64_t right = 0, all = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      right += *scores_[i] > 0 ? weights[i] : 0;
      all += weights[i];
    }
    return stats::wilson(right, all);
  }
  std::optional<Test> paired_test() const override {
    const std::size_t frames = scores_.size() / 2;
    std::uint64_t first = 0, second = 0;
    for (std::size_t i = 0; i < frames; ++i) {
      first += *scores_[i] > *scores_[frames + i];
      second += *scores_[frames + i] > *scores_[i];
    }
    return Test{"McNemar", stats::mcnemar_p(first, second), std::nullopt};
  }
  double cost() const override { return static_cast<double>(scores_.size()); }

 private:
  const Terms terms_;
  std::vector<std::optional<double>> scores_;
  std::vector<int> truths_;
};

std::optional<double> same_class_named(const trace::Answer& a, const trace::Answer& b,
                                       const Terms&) {
  const auto first = best_place(a), second = best_place(b);
  if (!first || !second) return first.has_value() == second.has_value() ? 1 : 0;
  if (a.classes && b.classes) return (*a.classes)[*first] == (*b.classes)[*second] ? 1 : 0;
  if (a.labels && b.labels)
    return lower_case((*a.labels)[*first]) == lower_case((*b.labels)[*second]) ? 1 : 0;
  return std::nullopt;
}

}  // namespace

const AnswerTask kClasses{
    "classification",
    "top1_accuracy",
    "accuracy",
    true,
    "frames",
    0.10,
    [](const Annotation& truth) {
      return std::holds_alternative<ClassLabel>(truth) || std::holds_alternative<ClassSet>(truth);
    },
    [](const trace::Answer& answer) { return (answer.classes || answer.labels) && !answer.boxes; },
    [](const Terms& terms) -> std::unique_ptr<Statistic> {
      return std::make_unique<Classes>(terms);
    },
    same_class_named};

}  // namespace edgeprobe::task
