// SPDX-License-Identifier: Apache-2.0
// Reads lines "REFERENCE TARGET OUT" and answers each with one line of JSON: the options of both
// models, each taken as one operator, those that differ, and, in OUT, the target with the
// reference's.
#include <fstream>
#include <iostream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "compare/align/layout.h"
#include "compare/options/options.h"

using namespace edgeprobe;

namespace {

struct Read {
  model::FileBytes bytes;
  model::Graph graph;
  std::vector<model::Attributes> attributes;
};

Result<Read> read(const std::string& path) {
  Read file;
  auto graph = model::load(path, file.bytes);
  if (!graph) return std::move(graph.error());
  file.graph = *std::move(graph);
  auto attributes = model::attributes(file.graph, file.bytes);
  if (!attributes) return std::move(attributes.error());
  file.attributes = *std::move(attributes);
  return file;
}

std::optional<compare::OperatorOptions> whole(const compare::OptionSource& source) {
  std::vector<int> layers;
  for (const model::Layer& layer : source.graph.layers) layers.push_back(layer.index);
  return compare::options_of_part(source, layers);
}

nlohmann::json said(const compare::OperatorOptions& options) {
  nlohmann::json values{{"operator", options.kind}};
  for (const auto& [name, value] : options.values) values[name] = model::to_text(value);
  return values;
}

nlohmann::json answer(const std::string& reference, const std::string& target,
                      const std::string& out) {
  const auto r = read(reference), t = read(target);
  if (!r) return {{"error", r.error().what}};
  if (!t) return {{"error", t.error().what}};
  const compare::OptionSource in_r{r->graph, r->bytes, r->attributes},
      in_t{t->graph, t->bytes, t->attributes};
  const auto of_r = whole(in_r), of_t = whole(in_t);
  if (!of_r || !of_t) return {{"error", "no single operator"}};
  std::vector<int> order;
  if (r->graph.format != t->graph.format)
    for (const auto& one : compare::layouts_of(
             r->graph.tensors[static_cast<std::size_t>(r->graph.outputs[0])].spec.shape,
             t->graph.tensors[static_cast<std::size_t>(t->graph.outputs[0])].spec.shape))
      if (order.empty()) order = one;
  nlohmann::json found{{"reference", said(*of_r)},
                       {"target", said(*of_t)},
                       {"different", nlohmann::json::array()},
                       {"changes", nlohmann::json::array()},
                       {"not_said", nlohmann::json::array()}};
  std::vector<model::Change> all;
  for (const auto& one : compare::option_differences(in_r, *of_r, in_t, *of_t, order)) {
    found["different"].push_back(one.name);
    const auto changes = compare::changes_for(in_t, *of_t, one.name, one.reference);
    if (!changes) found["not_said"].push_back(changes.error().what);
    for (const model::Change& change : changes ? *changes : std::vector<model::Change>{}) {
      found["changes"].push_back(change.name + " " + model::to_text(change.value));
      all.push_back(change);
    }
  }
  if (all.empty()) return found;
  const auto changed = model::with_changes(t->graph, t->bytes, all);
  if (!changed) {
    found["refused"] = changed.error().what;
    return found;
  }
  std::ofstream(out, std::ios::binary)
      .write(reinterpret_cast<const char*>(changed->data()),
             static_cast<std::streamsize>(changed->size()));
  return found;
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string reference, target, out;
    words >> reference >> target >> out;
    std::cout << answer(reference, target, out).dump() << std::endl;
  }
}
