// SPDX-License-Identifier: Apache-2.0
#include "check/verdict.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/index.h"
#include "core/text.h"
#include "lint/lint.h"

namespace edgeprobe::check {
namespace {

constexpr std::size_t kMost = 4;

/// Layers of the target that causes blame, found by the compared tensors.
std::set<int> blamed(const model::Graph& target, const diagnose::Verdict& verdict) {
  std::set<std::string> names;
  for (const diagnose::Cause& cause : verdict.causes)
    for (const diagnose::LayerDrift& layer : verdict.layers)
      if (std::find(cause.layers.begin(), cause.layers.end(), layer.index) != cause.layers.end())
        names.insert(layer.target_name.empty() ? layer.name : layer.target_name);
  std::set<int> found;
  for (std::size_t t = 0; t < target.tensors.size(); ++t)
    if (names.count(target.tensors[t].spec.name))
      if (const model::Layer* const layer = model::layer_of(target, static_cast<int>(t)))
        found.insert(layer->index);
  return found;
}

/// The layer of a finding; -1: none.
int place_of(const model::Graph& graph, const lint::Finding& one) {
  if (one.layer >= 0 || one.tensor < 0) return one.layer;
  const model::Layer* const layer = model::layer_of(graph, one.tensor);
  return layer ? layer->index : -1;
}

std::string shown(const model::Graph& graph, int layer) {
  const model::Layer& one = graph.layers[at(layer)];
  const int output = one.outputs.empty() ? -1 : one.outputs[0];
  const std::string name = !one.name.empty() ? one.name
                           : output < 0      ? std::string()
                                             : graph.tensors[at(output)].spec.name;
  return "#" + std::to_string(layer) + " " + sanitized(one.type, 40) + " '" + sanitized(name, 60) +
         "'";
}

}  // namespace

void add_file_findings(const pipeline::Pipeline& target, diagnose::Verdict& verdict) {
  if (verdict.outcome == diagnose::Outcome::kAgrees || target.graph.layers.empty()) return;
  const auto found = lint::lint(target.graph, target.file.view());
  if (!found) return;
  const std::set<int> layers = blamed(target.graph, verdict);
  std::size_t told = 0, more = 0;
  for (const lint::Finding& one : *found) {
    if (one.rule == lint::Rule::kDynamic)
      verdict.warnings.push_back("the target's file: " + one.text);
    const int layer = place_of(target.graph, one);
    if (one.level == lint::Level::kNote || !layers.count(layer)) continue;
    if (told == kMost) {
      ++more;
      continue;
    }
    ++told;
    verdict.warnings.push_back(
        "the target's file, at a layer that is blamed: " + shown(target.graph, layer) + ": " +
        one.text + " [" + lint::name(one.rule) + "]");
  }
  if (more > 0)
    verdict.warnings.push_back("the target's file: " + std::to_string(more) +
                               " more findings at layers that are blamed (inspect --lint)");
}

}  // namespace edgeprobe::check
