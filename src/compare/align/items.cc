// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "compare/align/align.h"
#include "model/dynamic_quantization.h"

namespace edgeprobe::compare {

const char* name(Match match) {
  switch (match) {
    case Match::kMapping: return "mapping";
    case Match::kGraph: return "graph";
    case Match::kName: return "name";
    case Match::kNamePart: return "name_part";
    case Match::kOrder: return "order";
    case Match::kShape: return "shape";
    case Match::kValues: return "values";
    case Match::kPosition: return "position";
  }
  return "";
}

double Alignment::coverage() const {
  std::set<std::size_t> covered;
  for (const AlignedPair& pair : pairs) covered.insert(pair.reference);
  for (const AlignedGroup& group : groups)
    covered.insert(group.reference.begin(), group.reference.end());
  const std::size_t all = covered.size() + unmatched_reference.size();
  return all == 0 ? 1 : static_cast<double>(covered.size()) / static_cast<double>(all);
}

std::vector<Item> items_of(const std::vector<trace::Channel>& channels) {
  std::vector<Item> items;
  for (const trace::Channel& channel : channels)
    items.push_back({channel.spec.name, channel.layer_type, channel.spec.shape, channel.spec.dtype,
                     channel.stage, channel.position, -1});
  return items;
}

std::vector<Item> items_of(const model::Graph& graph, std::vector<int>& tensors) {
  std::vector<Item> items;
  tensors.clear();
  // Inner tensors of a dynamically quantised operator equal its output except for a scale, and no
  // other file has them.
  std::set<int> inner;
  for (const model::DynamicOperator& one : model::dynamic_operators(graph))
    inner.insert(one.inner.begin(), one.inner.end());
  const auto add = [&](int tensor, const std::string& type, trace::Stage stage,
                       std::size_t position) {
    if (tensor < 0 || static_cast<std::size_t>(tensor) >= graph.tensors.size()) return;
    const TensorSpec& spec = graph.tensors[static_cast<std::size_t>(tensor)].spec;
    items.push_back(
        {spec.name, type, spec.shape, spec.dtype, stage, static_cast<std::int32_t>(position), -1});
    tensors.push_back(tensor);
  };
  std::map<int, std::string> made_by;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    add(graph.inputs[i], "", trace::Stage::kModelInput, i);
  const std::set<int> outputs(graph.outputs.begin(), graph.outputs.end());
  for (std::size_t l = 0; l < graph.layers.size(); ++l)
    for (const int tensor : graph.layers[l].outputs) {
      made_by[tensor] = graph.layers[l].type;
      if (!outputs.count(tensor) && !inner.count(tensor))
        add(tensor, graph.layers[l].type, trace::Stage::kLayer, l);
    }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    add(graph.outputs[i], made_by[graph.outputs[i]], trace::Stage::kModelOutput, i);

  std::map<int, std::vector<int>> made_from;  // Keyed by tensor: the first outputs of its readers.
  for (const model::Layer& layer : graph.layers)
    for (const int tensor : layer.inputs)
      if (tensor >= 0 && !layer.outputs.empty()) made_from[tensor].push_back(layer.outputs[0]);
  std::map<int, std::size_t> item_of;
  for (std::size_t i = 0; i < tensors.size(); ++i) item_of[tensors[i]] = i;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto readers = made_from.find(tensors[i]);
    if (readers == made_from.end() || readers->second.size() != 1 || outputs.count(tensors[i]))
      continue;
    if (const auto reader = item_of.find(readers->second[0]); reader != item_of.end())
      items[i].read_by = static_cast<std::int32_t>(reader->second);
  }
  return items;
}

}  // namespace edgeprobe::compare
