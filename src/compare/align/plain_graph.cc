// SPDX-License-Identifier: Apache-2.0
#include "compare/align/plain_graph.h"

#include <algorithm>

#include "compare/align/op_kind.h"

namespace edgeprobe::compare {

PlainGraph::PlainGraph(const WeightedGraph& w) : whole(w) {
  // Keyed by layer: the operator that contains it.
  std::map<std::size_t, const model::DynamicOperator*> inside;
  for (const model::DynamicOperator& one : whole.dynamic_operators()) {
    inside[static_cast<std::size_t>(one.layer)] = &one;
    for (const int tensor : one.inner)
      if (const model::Layer* const by = whole.maker(tensor))
        inside[static_cast<std::size_t>(by->index)] = &one;
    inside[static_cast<std::size_t>(one.last)] = &one;
  }
  for (const model::Layer& layer : whole.graph.layers)
    if (is_conversion(layer.type) && !layer.inputs.empty() && layer.inputs[0] >= 0)
      for (const int made : layer.outputs) through_[made] = layer.inputs[0];
  for (const model::Layer& layer : whole.graph.layers) {
    const auto part = inside.find(static_cast<std::size_t>(layer.index));
    if (part == inside.end()) {
      if (!is_conversion(layer.type)) add(layer);
    } else if (part->second->layer == layer.index) {
      model::Layer one = layer;
      one.inputs = {part->second->input};
      one.outputs = {part->second->output};
      add(one);
    }
  }
}

void PlainGraph::add(const model::Layer& layer) {
  PlainNode node;
  node.kind = op_kind(whole.graph.layers[static_cast<std::size_t>(layer.index)].type);
  node.layer = static_cast<std::size_t>(layer.index);
  node.weighted = whole.is_weighted(whole.graph.layers[node.layer]);
  bool has_constant = false;
  for (const int tensor : layer.inputs) {
    const int from = origin(tensor);
    if (from < 0) continue;
    if (whole.at(from)->is_constant) has_constant = true;
    else node.reads.push_back(from);
  }
  for (const int tensor : layer.outputs)
    if (tensor >= 0) node.makes.push_back(tensor);
  if (node.makes.empty() || node.reads.empty()) return;
  const std::string_view k = node.kind;
  node.folded = node.reads.size() == 1 && (k == "relu" || k == "clip" || k == "batchnorm" ||
                                           (has_constant && (k == "mul" || k == "add")));
  const std::size_t place = nodes_.size();
  for (std::size_t i = 0; i < node.reads.size(); ++i)
    readers_[node.reads[i]].emplace_back(place, i);
  for (const int tensor : node.makes) maker_[tensor] = place;
  nodes_.push_back(std::move(node));
}

int PlainGraph::origin(int tensor) const {
  for (auto at = through_.find(tensor); at != through_.end(); at = through_.find(tensor))
    tensor = at->second;
  return whole.at(tensor) ? tensor : -1;
}

const PlainNode* PlainGraph::maker(int tensor) const {
  const auto found = maker_.find(tensor);
  return found == maker_.end() ? nullptr : &nodes_[found->second];
}

const std::vector<std::pair<std::size_t, std::size_t>>& PlainGraph::readers(int tensor) const {
  static const std::vector<std::pair<std::size_t, std::size_t>> kNone;
  const auto found = readers_.find(tensor);
  return found == readers_.end() ? kNone : found->second;
}

const PlainNode* PlainGraph::folded_behind(int tensor) const {
  const auto& all = readers(tensor);
  const std::vector<int>& ends = whole.graph.outputs;
  if (all.size() != 1 || std::find(ends.begin(), ends.end(), tensor) != ends.end()) return nullptr;
  const PlainNode& node = nodes_[all[0].first];
  return node.folded && node.makes.size() == 1 ? &node : nullptr;
}

}  // namespace edgeprobe::compare
