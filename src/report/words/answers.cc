// SPDX-License-Identifier: Apache-2.0
#include "report/words/answers.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

std::string figure(double value) { return number(value, 4); }

std::string between(const stats::Interval& interval) {
  return number(interval.low, 3) + " to " + number(interval.high, 3);
}

constexpr std::size_t kLongestMetric = 60;

std::string difference_text(double difference, const std::optional<stats::Interval>& ci95,
                            double p_value, const std::string& test) {
  return "difference " + number(difference, 3) +
         (ci95 ? " (95 % interval " + between(*ci95) + ")" : "") + ", " + p_text(p_value) + " (" +
         test + ")";
}

std::string side_text(const task::Evaluation& evaluation, const task::SideScore& side) {
  if (!side.value) return "none: no frame defines it";
  std::string text = std::string(evaluation.task->title) + " " + figure(*side.value);
  if (side.ci95) text += " (95 % interval " + between(*side.ci95) + ")";
  if (side.unanswered > 0)
    text += ", " + counted(side.unanswered, "frame") + " of " + std::to_string(evaluation.frames) +
            " not answered";
  return text;
}

// "ap50 0.71, ap75 0.5": of the reference and of the target, if both exist.
std::string further_text(const task::Evaluation& evaluation) {
  std::string text;
  for (std::size_t i = 0; i < evaluation.target.further.size(); ++i) {
    const auto& [name, value] = evaluation.target.further[i];
    if (!value) continue;
    text += text.empty() ? "" : ", ";
    text += name + " ";
    if (i < evaluation.reference.further.size() && evaluation.reference.further[i].second)
      text += figure(*evaluation.reference.further[i].second) + " → ";
    text += figure(*value);
  }
  return text;
}

double lost(const task::ClassRow& row) {
  return row.reference && row.target ? *row.reference - *row.target : -2;
}

}  // namespace

FigureLines answer_lines(const compare::AnswerAgreement& answers) {
  FigureLines lines;
  if (answers.compared > 0)
    lines.emplace_back(
        "answers", std::string(answers.task->name) + ": agree by " + percent(answers.mean) +
                       " (95 % interval " + percent(answers.ci95.low) + " to " +
                       percent(answers.ci95.high) + "), the same in " +
                       std::to_string(answers.equal) + " of " + counted(answers.compared, "frame") +
                       ", floor " + percent(1 - answers.floor));
  if (answers.worst < 1)
    lines.emplace_back("", "farthest apart in frame " + std::to_string(answers.worst_frame) +
                               ", by " + percent(1 - answers.worst));
  if (!answers.evaluation) return lines;
  const task::Evaluation& evaluation = *answers.evaluation;
  const std::string of = " over " + counted(evaluation.frames, "annotated frame");
  if (answers.frames == 0) {
    lines.emplace_back("task", "target " + side_text(evaluation, evaluation.target) + of);
    lines.emplace_back("", "the reference recorded no answer to compare with");
  } else {
    lines.emplace_back("task", "reference " + side_text(evaluation, evaluation.reference) + of);
    lines.emplace_back("", "target    " + side_text(evaluation, evaluation.target));
  }
  if (evaluation.difference)
    lines.emplace_back("", difference_text(*evaluation.difference, evaluation.difference_ci95,
                                           evaluation.p_value, evaluation.test));
  if (const std::string text = further_text(evaluation); !text.empty())
    lines.emplace_back("", text);
  return lines;
}

FigureLines metric_lines(const task::MetricResult& metric) {
  const std::string name = sanitized(metric.name, kLongestMetric);
  const auto side = [&](const char* who, const task::MetricScore& score) {
    std::string text = who + name + " ";
    if (!score.value) return text + "is not defined";
    text += figure(*score.value);
    if (score.ci95) text += " (95 % interval " + between(*score.ci95) + ")";
    return text;
  };
  FigureLines lines;
  const bool both = metric.reference.value.has_value();
  if (both) lines.emplace_back("metric", side("reference ", metric.reference));
  lines.emplace_back(
      both ? "" : "metric",
      side(both ? "target    " : "", metric.target) + " over " + counted(metric.frames, "frame") +
          (metric.left_out > 0 ? ", " + std::to_string(metric.left_out) + " left out by the metric"
                               : ""));
  if (metric.one_sided > 0)
    lines.emplace_back("", counted(metric.one_sided, "frame") +
                               " do not count: the metric leaves them out on one side only");
  if (metric.difference)
    lines.emplace_back("", difference_text(*metric.difference, metric.difference_ci95,
                                           metric.p_value, "exchange of answers"));
  return lines;
}

std::vector<std::vector<std::string>> class_table(const task::Evaluation& evaluation,
                                                  std::size_t most) {
  std::vector<std::vector<std::string>> rows;
  if (evaluation.classes.empty()) return rows;
  std::vector<const task::ClassRow*> order;
  for (const task::ClassRow& row : evaluation.classes) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    const double x = lost(*a), y = lost(*b);
    return x != y ? x > y : a->there > b->there;
  });
  const auto cell = [](const std::optional<double>& value) {
    return value ? figure(*value) : std::string("–");
  };
  const bool both = evaluation.reference.value.has_value();
  rows.push_back(
      both ? std::vector<std::string>{"class", std::string(evaluation.task->things), "reference",
                                      "target"}
           : std::vector<std::string>{"class", std::string(evaluation.task->things), "target"});
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    const task::ClassRow& row = *order[i];
    rows.push_back({sanitized(row.name, 40), std::to_string(row.there)});
    if (both) rows.back().push_back(cell(row.reference));
    rows.back().push_back(cell(row.target));
  }
  if (order.size() > most) {
    rows.push_back({"and " + std::to_string(order.size() - most) + " more"});
    rows.back().resize(rows.front().size());
  }
  return rows;
}

}  // namespace edgeprobe::report
