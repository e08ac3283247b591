// SPDX-License-Identifier: Apache-2.0
#include "task/tasks.h"

#include <algorithm>
#include <cmath>

#include "stats/bootstrap.h"
#include "stats/proportion.h"
#include "stats/significance.h"
#include "task/classification.h"

namespace edgeprobe::task {
namespace {

std::vector<std::size_t> score_outputs(const std::vector<TensorSpec>& outputs) {
  const auto scores = class_output(outputs);
  return scores ? std::vector<std::size_t>{*scores} : std::vector<std::size_t>{};
}

std::optional<Answer> class_answer(const Outputs& values) {
  if (values.size() != 1 || values.front().empty()) return std::nullopt;
  return ClassAnswer{top_1(values.front()), values.front().size()};
}

bool has_class(const Answer& answer) { return std::get<ClassAnswer>(answer).best >= 0; }

std::optional<double> class_score(const Answer& answer, const Annotation& annotation) {
  const auto& given = std::get<ClassAnswer>(answer);
  const std::vector<int> right = classes_of(annotation);
  const auto is_class = [&](int index) {
    return index >= 0 && static_cast<std::size_t>(index) < given.classes;
  };
  if (right.empty() || !std::all_of(right.begin(), right.end(), is_class)) return std::nullopt;
  return std::find(right.begin(), right.end(), given.best) != right.end() ? 1 : 0;
}

Figure accuracy(std::span<const double> scores) {
  Figure figure;
  for (const double score : scores) figure.sum += score;
  figure.n = scores.size();
  figure.ci95 = stats::wilson(static_cast<std::uint64_t>(std::llround(figure.sum)), figure.n);
  return figure;
}

PairedTest mcnemar(std::span<const ScorePair> pairs) {
  PairedTest test;
  std::vector<double> differences;
  for (const ScorePair& pair : pairs) {
    test.reference_better += pair.reference > pair.target;
    test.target_better += pair.target > pair.reference;
    differences.push_back(pair.target - pair.reference);
  }
  test.difference_ci95 = stats::bootstrap_mean(differences);
  test.p_value = stats::mcnemar_p(test.reference_better, test.target_better);
  if (!stats::is_significant(test.p_value))
    test.required_sample_size =
        stats::required_sample_size(test.reference_better, test.target_better, pairs.size());
  return test;
}

double same_class(const Answer& a, const Answer& b) {
  return std::get<ClassAnswer>(a).best == std::get<ClassAnswer>(b).best ? 1 : 0;
}

}  // namespace

const Task kClassification{
    "classification", "top1_accuracy", "wrong class", "another class than the reference",
    score_outputs,    class_answer,    has_class,     class_score,
    accuracy,         mcnemar,         same_class};

}  // namespace edgeprobe::task
