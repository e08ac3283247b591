// SPDX-License-Identifier: Apache-2.0
#include "compare/align/by_graph.h"

#include <map>
#include <string_view>

#include "compare/align/spreading.h"
#include "core/index.h"
#include "model/qdq.h"

namespace edgeprobe::compare {
namespace {

using Names = std::map<std::string_view, int>;  // -1: several tensors share the name.

Names names_of(const WeightedGraph& side) {
  Names names;
  const auto add = [&](int tensor) {
    if (tensor < 0) return;
    const auto [place, fresh] = names.emplace(side.at(tensor)->spec.name, tensor);
    if (!fresh && place->second != tensor) place->second = -1;
  };
  for (const int tensor : side.graph.inputs) add(tensor);
  for (const model::Layer& layer : side.graph.layers)
    for (const int tensor : layer.outputs) add(tensor);
  names.erase("");
  return names;
}

// Layers with weights and equal names on both sides.
std::map<std::size_t, std::size_t> named_alike(const PlainGraph& r, const PlainGraph& t,
                                               const Names& names_r, const Names& names_t) {
  std::map<std::size_t, std::size_t> found;
  for (const auto& [name, tensor] : names_r) {
    const auto other = names_t.find(name);
    if (tensor < 0 || other == names_t.end() || other->second < 0) continue;
    const PlainNode *const by_r = r.maker(tensor), *const by_t = t.maker(other->second);
    if (by_r && by_t && by_r->weighted && by_t->weighted && by_r->kind == by_t->kind)
      found.emplace(by_r->layer, by_t->layer);
  }
  return found;
}

// True if equal names belong to different layers, for instance if an exporter numbers tensors: the
// weights confirm the graph in all layers, and never the names where both disagree.
bool are_numbers(const Spreading& by_graph, const std::map<std::size_t, std::size_t>& named,
                 LikeWeights& weights) {
  const auto alike = [&](std::size_t r, std::size_t t) {
    return weights.cosine(r, t).value_or(0) >= LikeWeights::kAlike;
  };
  bool at_odds = false;
  for (const auto& [r, t] : named) {
    const auto other = by_graph.layers().find(r);
    if (other == by_graph.layers().end() || other->second == t) continue;
    at_odds = true;
    if (!alike(r, other->second) || alike(r, t)) return false;
  }
  return at_odds && !by_graph.crosses();
}

}  // namespace

GraphPairs pairs_by_graph(const WeightedGraph& reference, const WeightedGraph& target,
                          const Mapping& mapping) {
  const PlainGraph r(reference), t(target);
  const Names names_r = names_of(reference), names_t = names_of(target);
  LikeWeights weights(reference, target);
  const auto spread = [&](bool by_names) {
    Spreading spreading(r, t, weights);
    for (const auto& [from, to] : mapping) {
      const auto known_r = names_r.find(from), known_t = names_t.find(to);
      if (known_r != names_r.end() && known_t != names_t.end())
        spreading.pair(known_r->second, known_t->second);
    }
    spreading.pair_ends();
    if (by_names)
      for (const auto& [name, tensor] : names_r)
        if (const auto other = names_t.find(name); other != names_t.end())
          spreading.pair(tensor, other->second);
    spreading.run();
    return spreading;
  };
  const Spreading by_graph = spread(false);
  const bool mislead = are_numbers(by_graph, named_alike(r, t, names_r, names_t), weights);
  const Spreading found = mislead ? by_graph : spread(true);
  GraphPairs pairs{{}, {found.layers().begin(), found.layers().end()}, mislead};
  const std::vector<int> forms_r = model::stored_forms(reference.graph),
                         forms_t = model::stored_forms(target.graph);
  for (const auto& [from, to] : found.partners())
    pairs.tensors.emplace_back(forms_r[at(from)], forms_t[at(to)]);
  return pairs;
}

}  // namespace edgeprobe::compare
