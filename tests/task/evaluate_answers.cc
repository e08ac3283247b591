// SPDX-License-Identifier: Apache-2.0
// Metrics of answers in a JSON file, as JSON, for tests that compare them with other programs':
//   evaluate_answers LABELS CLASSES BOXES TARGET.json [REFERENCE.json]
// CLASSES may be empty; BOXES is as --boxes takes it. An answers file maps samples to answers.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "dataset/labels.h"
#include "task/answers/evaluate.h"

namespace {

using namespace edgeprobe;
using nlohmann::json;

trace::Answer answer_from(const json& j) {
  trace::Answer answer;
  const auto take = [&](const char* key, auto& to) {
    using T = typename std::decay_t<decltype(to)>::value_type;
    if (j.contains(key)) to = j.at(key).get<T>();
  };
  take("labels", answer.labels);
  take("classes", answer.classes);
  take("scores", answer.scores);
  take("boxes", answer.boxes);
  take("points", answer.points);
  take("vector", answer.vector);
  take("score", answer.score);
  take("alarm", answer.alarm);
  take("text", answer.text);
  if (j.contains("mask")) {
    const auto rows = j.at("mask").get<std::vector<std::vector<std::int32_t>>>();
    trace::Mask mask;
    mask.height = static_cast<std::uint32_t>(rows.size());
    mask.width = static_cast<std::uint32_t>(rows.at(0).size());
    for (const auto& row : rows) mask.classes.insert(mask.classes.end(), row.begin(), row.end());
    answer.mask = std::move(mask);
  }
  return answer;
}

json json_of(const std::optional<double>& value) { return value ? json(*value) : json(); }
json json_of(const std::optional<stats::Interval>& one) {
  return one ? json{one->low, one->high} : json();
}

json json_of(const task::SideScore& side) {
  json further;
  for (const auto& [name, value] : side.further) further[name] = json_of(value);
  return {{"value", json_of(side.value)},
          {"ci95", json_of(side.ci95)},
          {"further", further},
          {"unanswered", side.unanswered}};
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) return 2;
  const auto labels = dataset::read_labels(arguments[1], arguments[2]);
  if (!labels) {
    std::cout << labels.error().what << "\n";
    return 1;
  }
  task::Terms terms;
  terms.classes = labels->classes;
  const auto form = task::box_form(arguments[3]);
  if (!form) return 2;
  terms.boxes = *form;
  std::vector<json> sides;
  for (int i = 4; i < count; ++i) sides.push_back(json::parse(std::ifstream(arguments[i])));
  std::vector<const task::Annotation*> truths;
  std::vector<std::string> names;
  for (const auto& [name, truth] : labels->by_name) {
    truths.push_back(&truth);
    names.push_back(name);
  }
  const auto answers_of = [&](const json& side) -> task::AnswerAt {
    return [&](std::size_t i) -> Result<std::optional<trace::Answer>> {
      if (!side.contains(names[i])) return std::optional<trace::Answer>();
      return std::optional(answer_from(side.at(names[i])));
    };
  };
  const task::AnswerTask* kind = nullptr;
  for (const auto& [name, answer] : sides[0].items())
    if (!kind) kind = task::answer_task_of(answer_from(answer), *truths.front());
  if (!kind) {
    std::cout << "no task reads these answers\n";
    return 1;
  }
  const auto result = sides.size() > 1 ? task::evaluate(*kind, terms, truths, answers_of(sides[1]),
                                                        answers_of(sides[0]))
                                       : task::evaluate(*kind, terms, truths, answers_of(sides[0]));
  if (!result) return 1;
  json rows = json::array();
  for (const task::ClassRow& row : result->classes)
    rows.push_back({{"name", row.name},
                    {"there", row.there},
                    {"reference", json_of(row.reference)},
                    {"target", json_of(row.target)}});
  std::cout << json{{"task", kind->name},
                    {"metric", kind->metric},
                    {"frames", result->frames},
                    {"target", json_of(result->target)},
                    {"reference", json_of(result->reference)},
                    {"classes", rows},
                    {"difference", json_of(result->difference)},
                    {"difference_ci95", json_of(result->difference_ci95)},
                    {"p_value", result->p_value},
                    {"test", result->test},
                    {"loss", result->is_loss()},
                    {"problems", result->problems}}
                   .dump(1)
            << "\n";
  return 0;
}
