// SPDX-License-Identifier: Apache-2.0
#include "layers/pairing/by_structure.h"

#include <algorithm>
#include <set>

#include "compare/align/align.h"
#include "compare/align/op_kind.h"
#include "core/index.h"

namespace edgeprobe::layers {
namespace {

class ByStructure {
 public:
  ByStructure(const model::Graph& reference, const model::Graph& target)
      : graphs_{&reference, &target}, readers_{readers_of(reference), readers_of(target)} {}

  // `found`: the target's tensor by the reference's.
  void complete(std::map<int, int>& found, std::map<int, std::vector<int>>& orders) const {
    std::set<int> taken;
    for (const auto& [r, t] : found) taken.insert(t);
    for (const model::Layer& layer : graphs_[0]->layers) {
      const int r = layer.outputs.empty() ? -1 : layer.outputs[0];
      if (r < 0 || compare::is_conversion(layer.type)) continue;
      auto known = found.find(r);
      if (known == found.end()) {
        const int t = alone_reads_partners(layer, found, taken);
        if (t < 0) continue;
        const auto order = compare::layout_of(shape(0, r), shape(1, t));
        if (!order) continue;
        known = found.emplace(r, t).first;
        taken.insert(t);
        if (!order->empty()) orders.emplace(t, *order);
      }
      int t = known->second, shown = r;
      for (int hops = 0; hops < 4; ++hops) {
        const int next_r = folded_behind(0, shown), next_t = folded_behind(1, t);
        const bool norm = next_r >= 0 && next_t >= 0 && is_norm(0, shown) != is_norm(1, t);
        // One side may have the activation inside the operator, the other after it.
        if (next_r >= 0 && (next_t < 0 || (norm && is_norm(0, shown))) && !found.count(next_r))
          shown = next_r;
        else if (next_t >= 0 && (next_r < 0 || (norm && is_norm(1, t))) && !taken.count(next_t)) {
          if (const auto order = orders.find(t); order != orders.end())
            orders.emplace(next_t, std::vector<int>(order->second));
          t = next_t;
        } else break;
      }
      taken.erase(known->second);
      found.erase(known);
      found.emplace(shown, t);
      taken.insert(t);
    }
  }

 private:
  static std::vector<std::vector<int>> readers_of(const model::Graph& graph) {
    std::vector<std::vector<int>> readers(graph.tensors.size());
    for (const model::Layer& layer : graph.layers)
      for (const int tensor : layer.inputs)
        if (tensor >= 0) readers[at(tensor)].push_back(layer.index);
    return readers;
  }
  const Shape& shape(std::size_t side, int tensor) const {
    return graphs_[side]->tensors[at(tensor)].spec.shape;
  }

  const model::Layer* only_reader(std::size_t side, int tensor) const {
    const model::Graph& graph = *graphs_[side];
    const std::vector<int>& readers = readers_[side][at(tensor)];
    if (readers.size() != 1 || std::count(graph.outputs.begin(), graph.outputs.end(), tensor) > 0)
      return nullptr;
    return &graph.layers[at(readers[0])];
  }
  bool is_norm(std::size_t side, int tensor) const {
    const model::Layer* const reader = only_reader(side, tensor);
    return reader && compare::op_kind(reader->type) == "batchnorm";
  }

  // The output of a Relu, Clip or batch norm that is the tensor's only reader; -1 if there is none.
  int folded_behind(std::size_t side, int tensor) const {
    const model::Layer* const reader = only_reader(side, tensor);
    return reader && is_folded(*reader) && !reader->outputs.empty() ? reader->outputs[0] : -1;
  }

  std::set<int> computed(std::size_t side, const model::Layer& layer) const {
    std::set<int> read;
    for (const int tensor : layer.inputs)
      if (tensor >= 0 && !graphs_[side]->tensors[at(tensor)].is_constant) read.insert(tensor);
    return read;
  }

  // The unpaired output of the only target layer that reads exactly the partners of all inputs of
  // `layer`; -1 if there is none, or several.
  int alone_reads_partners(const model::Layer& layer, const std::map<int, int>& found,
                           const std::set<int>& taken) const {
    std::set<int> wanted;
    for (const int tensor : computed(0, layer)) {
      const auto partner = found.find(tensor);
      if (partner == found.end()) return -1;
      wanted.insert(partner->second);
    }
    if (wanted.empty()) return -1;
    int made = -1;
    for (const int index : readers_[1][at(*wanted.begin())]) {
      const model::Layer& other = graphs_[1]->layers[at(index)];
      if (compare::is_conversion(other.type) || other.outputs.empty() ||
          computed(1, other) != wanted || taken.count(other.outputs[0]))
        continue;
      if (made >= 0) return -1;
      made = other.outputs[0];
    }
    return made;
  }

  const model::Graph* graphs_[2];
  std::vector<std::vector<int>> readers_[2];
};

}  // namespace

bool is_folded(const model::Layer& layer) {
  const std::string_view kind = compare::op_kind(layer.type);
  return kind == "relu" || kind == "clip" || kind == "batchnorm";
}

void pair_by_structure(const model::Graph& reference, const model::Graph& target,
                       std::map<int, int>& found, std::map<int, std::vector<int>>& orders) {
  ByStructure(reference, target).complete(found, orders);
}

}  // namespace edgeprobe::layers
