// SPDX-License-Identifier: Apache-2.0
#include "report/json/verdict.h"

#include <nlohmann/json.hpp>

namespace edgeprobe::report {
namespace {

using nlohmann::ordered_json;

ordered_json number_json(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}
ordered_json interval_json(const std::optional<stats::Interval>& interval) {
  return interval ? ordered_json{interval->low, interval->high} : ordered_json(nullptr);
}

ordered_json side_json(const task::SideScore& side) {
  ordered_json further = ordered_json::object();
  for (const auto& [name, value] : side.further) further[name] = number_json(value);
  return {{"value", number_json(side.value)},
          {"ci95", interval_json(side.ci95)},
          {"further", std::move(further)},
          {"unanswered", side.unanswered}};
}

}  // namespace

ordered_json metric_json(const std::optional<task::MetricResult>& metric) {
  if (!metric) return nullptr;
  const task::MetricResult& m = *metric;
  const auto side = [](const task::MetricScore& score) {
    return ordered_json{{"value", number_json(score.value)}, {"ci95", interval_json(score.ci95)}};
  };
  return {{"name", m.name},
          {"higher_is_better", m.higher_is_better},
          {"frames", m.frames},
          {"left_out", m.left_out},
          {"one_sided", m.one_sided},
          {"reference", m.reference.value ? side(m.reference) : ordered_json(nullptr)},
          {"target", side(m.target)},
          {"difference", number_json(m.difference)},
          {"difference_ci95", interval_json(m.difference_ci95)},
          {"p_value", m.difference ? ordered_json(m.p_value) : ordered_json(nullptr)}};
}

ordered_json evaluation_json(const std::optional<task::Evaluation>& evaluation) {
  if (!evaluation) return nullptr;
  const task::Evaluation& e = *evaluation;
  ordered_json classes = ordered_json::array();
  for (const task::ClassRow& row : e.classes)
    classes.push_back({{"name", row.name},
                       {"there", row.there},
                       {"reference", number_json(row.reference)},
                       {"target", number_json(row.target)}});
  return {{"metric", e.task->metric},
          {"higher_is_better", e.task->higher_is_better},
          {"frames", e.frames},
          {"reference", e.reference.value ? side_json(e.reference) : ordered_json(nullptr)},
          {"target", side_json(e.target)},
          {"difference", number_json(e.difference)},
          {"difference_ci95", interval_json(e.difference_ci95)},
          {"p_value", e.difference ? ordered_json(e.p_value) : ordered_json(nullptr)},
          {"test", e.difference ? ordered_json(e.test) : ordered_json(nullptr)},
          {"classes", std::move(classes)}};
}

ordered_json answers_json(const std::optional<compare::AnswerAgreement>& answers) {
  if (!answers) return nullptr;
  const compare::AnswerAgreement& a = *answers;
  const bool both = a.compared > 0;
  return {{"task", a.task->name},
          {"frames", a.frames},
          {"compared", a.compared},
          {"equal", a.equal},
          {"agreement", both ? ordered_json(a.mean) : ordered_json(nullptr)},
          {"agreement_ci95", both ? interval_json(a.ci95) : ordered_json(nullptr)},
          {"floor", 1 - a.floor},
          {"worst_frame", both ? ordered_json(a.worst_frame) : ordered_json(nullptr)},
          {"differs", a.differs()},
          {"evaluation", evaluation_json(a.evaluation)}};
}

}  // namespace edgeprobe::report
