// SPDX-License-Identifier: Apache-2.0
#include "cli/tables/lint_text.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/index.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

std::string place(const model::Graph& graph, const lint::Finding& one) {
  if (one.layer < 0)
    return one.tensor < 0 ? ""
                          : "'" + sanitized(graph.tensors[at(one.tensor)].spec.name, 60) + "': ";
  const model::Layer& layer = graph.layers[at(one.layer)];
  const int shown = layer.outputs.empty() ? -1 : layer.outputs[0];
  const std::string name = !layer.name.empty() ? layer.name
                           : shown < 0         ? ""
                                               : graph.tensors[at(shown)].spec.name;
  return "#" + std::to_string(one.layer) + " " + sanitized(layer.type, 40) + " '" +
         sanitized(name, 60) + "': ";
}

}  // namespace

std::string lint_sentence(const model::Graph& graph, const lint::Finding& one) {
  return place(graph, one) + one.text;
}

void write_lint(std::ostream& out, const model::Graph& graph,
                const std::vector<lint::Finding>& found) {
  constexpr std::size_t kShown = 4;
  std::map<lint::Level, std::size_t> count;
  out << "\n  lint\n";
  for (const lint::Level level : {lint::Level::kFault, lint::Level::kRisk, lint::Level::kNote}) {
    std::map<lint::Rule, std::size_t> of_rule;
    for (const lint::Finding& one : found) {
      if (one.level != level) continue;
      ++count[level];
      if (++of_rule[one.rule] <= kShown)
        out << "    " << name(level) << ": " << lint_sentence(graph, one) << " [" << name(one.rule)
            << "]\n";
    }
    for (const auto& [rule, all] : of_rule)
      if (all > kShown)
        out << "    " << name(level) << ": " << all - kShown << " more like these [" << name(rule)
            << "]; --json lists them\n";
  }
  const auto counted = [&](lint::Level level) {
    return std::to_string(count[level]) + " " + name(level) + (count[level] == 1 ? "" : "s");
  };
  out << "    " << counted(lint::Level::kFault) << ", " << counted(lint::Level::kRisk)
      << "; check and diagnose find what the file does not show\n";
}

nlohmann::ordered_json lint_json(const model::Graph& graph,
                                 const std::vector<lint::Finding>& found) {
  auto list = nlohmann::ordered_json::array();
  for (const lint::Finding& one : found) {
    const model::Layer* const layer = one.layer < 0 ? nullptr : &graph.layers[at(one.layer)];
    const auto text = [](bool known, const std::string& value) {
      return known ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
    };
    list.push_back(
        {{"rule", name(one.rule)},
         {"level", name(one.level)},
         {"layer", layer ? nlohmann::ordered_json(one.layer) : nlohmann::ordered_json(nullptr)},
         {"op_type", text(layer != nullptr, layer ? layer->type : "")},
         {"node", text(layer && !layer->name.empty(), layer ? layer->name : "")},
         {"tensor",
          text(one.tensor >= 0, one.tensor < 0 ? "" : graph.tensors[at(one.tensor)].spec.name)},
         {"text", one.text}});
  }
  return list;
}

}  // namespace edgeprobe::cli
