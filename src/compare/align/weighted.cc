// SPDX-License-Identifier: Apache-2.0
#include "compare/align/weighted.h"

#include <algorithm>

#include "compare/align/channel_scale.h"
#include "compare/align/op_kind.h"

namespace edgeprobe::compare {
namespace {

constexpr std::size_t kNone = 1'000;  // no such input

}  // namespace

std::optional<Slots> slots_of(const std::string& type) {
  if (type == "CONV_2D" || type == "FULLY_CONNECTED" || type == "CONV_3D")
    return Slots{1, 2, type == "CONV_3D" ? 4 : 0};
  if (type == "DEPTHWISE_CONV_2D") return Slots{1, 2, 3};
  if (type == "TRANSPOSE_CONV") return Slots{1, 3, 0};
  if (type == "Conv" || type == "Gemm" || type == "MatMul" || type == "com.microsoft:FusedConv" ||
      type == "com.microsoft:FusedGemm")
    return Slots{1, type == "MatMul" ? kNone : 2, 0};
  if (type == "ConvTranspose") return Slots{1, 2, 1};
  if (type == "QLinearConv") return Slots{3, 8, 0};
  if (type == "QLinearMatMul") return Slots{3, kNone, 0};
  if (type == "ConvInteger" || type == "MatMulInteger") return Slots{1, kNone, 0};
  if (type == "com.microsoft:QGemm") return Slots{3, 6, 0};
  return std::nullopt;
}

std::string_view in_real_numbers(std::string_view type) {
  if (type == "QLinearConv" || type == "ConvInteger") return "Conv";
  if (type == "QLinearMatMul" || type == "MatMulInteger") return "MatMul";
  if (type == "com.microsoft:QGemm") return "Gemm";
  return type;
}

std::vector<std::size_t> tensor_slots(const model::Layer& layer) {
  const std::string& type = layer.type;
  if (type == "QLinearConv") return {0, 3, 8};
  if (type == "com.microsoft:QGemm") return {0, 3, 6};
  if (type == "QLinearMatMul" || type == "com.microsoft:QLinearAdd" ||
      type == "com.microsoft:QLinearMul")
    return {0, 3};
  std::vector<std::size_t> slots(layer.inputs.size());
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = i;
  return slots;
}

WeightedGraph::WeightedGraph(const model::Graph& g, ByteView f)
    : graph(g), file(f), dynamic_(model::dynamic_operators(g)) {
  for (const model::Layer& layer : graph.layers) {
    for (const int tensor : layer.outputs) maker_[tensor] = layer.index;
    for (const int tensor : layer.inputs) readers_[tensor].push_back(layer.index);
  }
}

const model::ModelTensor* WeightedGraph::at(int tensor) const {
  const bool known = tensor >= 0 && static_cast<std::size_t>(tensor) < graph.tensors.size();
  return known ? &graph.tensors[static_cast<std::size_t>(tensor)] : nullptr;
}

const model::Layer* WeightedGraph::maker(int tensor) const {
  const auto found = maker_.find(tensor);
  return found == maker_.end() ? nullptr : &graph.layers[static_cast<std::size_t>(found->second)];
}

int WeightedGraph::constant_in(const model::Layer& layer, std::size_t slot) const {
  int tensor = slot < layer.inputs.size() ? layer.inputs[slot] : -1;
  for (int hops = 0; hops < 3 && at(tensor); ++hops) {
    if (at(tensor)->is_constant) return tensor;
    const model::Layer* const by = maker(tensor);
    if (!by || !is_conversion(by->type) || by->inputs.empty()) return -1;
    tensor = by->inputs[0];
  }
  return -1;
}

const model::DynamicOperator* WeightedGraph::dynamic(const model::Layer& layer) const {
  const auto found = std::find_if(dynamic_.begin(), dynamic_.end(),
                                  [&](const auto& one) { return one.layer == layer.index; });
  return found == dynamic_.end() ? nullptr : &*found;
}

int WeightedGraph::bias_of(const model::Layer& layer) const {
  if (const model::DynamicOperator* const whole = dynamic(layer)) return whole->bias;
  const auto slots = slots_of(layer.type);
  return slots ? constant_in(layer, slots->bias) : -1;
}

const model::Layer& WeightedGraph::operator_of(const model::Layer& layer) const {
  for (const model::DynamicOperator& one : dynamic_)
    if (one.last == layer.index) return graph.layers[static_cast<std::size_t>(one.layer)];
  return layer;
}

const model::Layer* WeightedGraph::next(const model::Layer& layer) const {
  constexpr int kMostConversions = 4;
  const model::Layer* behind = &layer;
  for (int hops = 0; hops <= kMostConversions; ++hops) {
    const auto found = behind->outputs.empty() ? readers_.end() : readers_.find(behind->outputs[0]);
    if (found == readers_.end() || found->second.size() != 1) return nullptr;
    behind = &graph.layers[static_cast<std::size_t>(found->second[0])];
    if (!is_conversion(behind->type)) return behind;
  }
  return nullptr;
}

std::vector<const model::Layer*> WeightedGraph::scales_behind(const model::Layer& layer) const {
  constexpr std::size_t kMost = 3;
  std::vector<const model::Layer*> found;
  const model::DynamicOperator* const whole = dynamic(layer);
  const model::Layer& last = whole ? graph.layers[static_cast<std::size_t>(whole->last)] : layer;
  for (const model::Layer* behind = next(last); behind && found.size() < kMost;
       behind = next(*behind)) {
    const std::string_view kind = op_kind(behind->type);
    // Scales and zero points of an integer operator are constants too.
    const std::vector<std::size_t> slots = tensor_slots(*behind);
    const bool by_constant =
        (kind == "mul" || kind == "add") &&
        std::any_of(slots.begin(), slots.end(), [&](std::size_t slot) {
          return slot < behind->inputs.size() && stored_constant(graph, behind->inputs[slot]) >= 0;
        });
    if (kind != "batchnorm" && !by_constant) break;
    found.push_back(behind);
  }
  return found;
}

bool WeightedGraph::is_weighted(const model::Layer& layer) const {
  const auto slots = slots_of(layer.type);
  return slots && constant_in(layer, slots->weights) >= 0;
}

const model::Layer* weighted_in(const WeightedGraph& side, const std::vector<int>& layers) {
  const model::Layer* found = nullptr;
  for (const int layer : layers) {
    const model::Layer& one = side.graph.layers[static_cast<std::size_t>(layer)];
    if (!side.is_weighted(one)) continue;
    if (found) return nullptr;
    found = &one;
  }
  return found;
}

}  // namespace edgeprobe::compare
