// SPDX-License-Identifier: Apache-2.0
#include "compare/align/weighted_pairs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compare/align/align.h"
#include "compare/align/op_kind.h"
#include "core/index.h"

namespace edgeprobe::compare {
namespace {

Shape weights_shape(const WeightedGraph& side, std::size_t l) {
  const model::Layer& layer = side.graph.layers[l];
  return side.at(side.constant_in(layer, slots_of(layer.type)->weights))->spec.shape;
}

// True if a Gemm became a matrix product of codes, as converters write it.
bool is_gemm_in_codes(const std::string& a, const std::string& b) {
  return (a == "Gemm" && b == "MatMulInteger") || (a == "MatMulInteger" && b == "Gemm");
}

// True if the shape of a matrix shows its orientation.
bool is_oblong(const Shape& matrix) { return matrix.size() == 2 && matrix[0] != matrix[1]; }

// The layer with weights that makes a tensor, also through a following activation, which a
// converter fuses. Nothing if another layer does.
std::optional<std::size_t> weighted_maker(const WeightedGraph& side, int tensor) {
  for (int hops = 0; hops < 3; ++hops) {
    const model::Layer* const made = side.maker(tensor);
    if (!made) return std::nullopt;
    const model::Layer& layer = side.operator_of(*made);
    if (side.is_weighted(layer)) return static_cast<std::size_t>(layer.index);
    const std::string_view kind = op_kind(layer.type);
    if ((kind != "relu" && kind != "clip" && kind != "convert" && kind != "batchnorm") ||
        layer.inputs.empty())
      return std::nullopt;
    tensor = layer.inputs[0];
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> weighted_pairs(const WeightedGraph& r,
                                                                const WeightedGraph& t,
                                                                const Mapping& mapping) {
  const auto same_type = [&](std::size_t l, std::size_t m) {
    const std::string &of_r = r.graph.layers[l].type, &of_t = t.graph.layers[m].type;
    return in_real_numbers(of_r) == in_real_numbers(of_t) ||
           (is_gemm_in_codes(of_r, of_t) && is_oblong(weights_shape(r, l)));
  };
  const auto same_shape = [&](std::size_t l, std::size_t m) {
    return weights_shape(r, l) == weights_shape(t, m);
  };
  std::map<std::size_t, std::size_t> pairs;
  std::set<std::size_t> taken;
  const auto add = [&](std::size_t l, std::size_t m) {
    if (same_type(l, m) && !pairs.count(l) && !taken.count(m)) {
      pairs.emplace(l, m);
      taken.insert(m);
    }
  };
  const GraphPairs by_graph = pairs_by_graph(r, t, mapping);
  for (const auto& [l, m] : by_graph.layers)
    if (same_shape(l, m)) add(l, m);

  std::vector<std::size_t> layers_r, layers_t;  // Layers without a partner so far.
  for (const model::Layer& layer : r.graph.layers)
    if (r.is_weighted(layer) && !pairs.count(at(layer.index))) layers_r.push_back(at(layer.index));
  for (const model::Layer& layer : t.graph.layers)
    if (t.is_weighted(layer) && !taken.count(at(layer.index))) layers_t.push_back(at(layer.index));
  const bool in_order =
      std::equal(layers_r.begin(), layers_r.end(), layers_t.begin(), layers_t.end(),
                 [&](std::size_t l, std::size_t m) { return same_type(l, m) && same_shape(l, m); });
  if (in_order)
    for (std::size_t i = 0; i < layers_r.size(); ++i) add(layers_r[i], layers_t[i]);
  if (in_order) return {pairs.begin(), pairs.end()};

  std::map<std::string, std::size_t> named;
  for (const std::size_t m : layers_t) named.emplace(t.graph.layers[m].name, m);
  for (const std::size_t l : layers_r) {
    const auto found = named.find(r.graph.layers[l].name);
    if (!r.graph.layers[l].name.empty() && found != named.end() && same_shape(l, found->second))
      add(l, found->second);
  }
  std::vector<int> tensors_r, tensors_t;
  const auto items_r = items_of(r.graph, tensors_r), items_t = items_of(t.graph, tensors_t);
  for (const AlignedPair& pair : align(items_r, items_t).pairs) {
    const auto made_r = weighted_maker(r, tensors_r[pair.reference]),
               made_t = weighted_maker(t, tensors_t[pair.target]);
    if (made_r && made_t) add(*made_r, *made_t);
  }
  return {pairs.begin(), pairs.end()};
}

}  // namespace edgeprobe::compare
