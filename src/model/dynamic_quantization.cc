// SPDX-License-Identifier: Apache-2.0
#include "model/dynamic_quantization.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/index.h"

namespace edgeprobe::model {
namespace {

bool multiplies_codes(const Layer& layer) {
  return layer.type == "ConvInteger" || layer.type == "MatMulInteger";
}

class Finder {
 public:
  explicit Finder(const Graph& graph)
      : graph_(graph), maker_(graph.tensors.size()), readers_(graph.tensors.size()) {
    for (const Layer& layer : graph.layers) {
      for (const int tensor : layer.outputs)
        if (tensor >= 0) maker_[at(tensor)] = &layer;
      for (const int tensor : layer.inputs)
        if (tensor >= 0) readers_[at(tensor)].push_back(&layer);
      for (const int tensor : layer.implicit_inputs) readers_[at(tensor)].push_back(nullptr);
    }
  }

  // False if the layer is not part of a complete dynamically quantised operator.
  bool find(const Layer& layer, DynamicOperator& out) const {
    if (!multiplies_codes(layer) || layer.inputs.size() < 2 || layer.outputs.empty()) return false;
    const Layer* const quantizer = made_by(layer.inputs[0], "DynamicQuantizeLinear");
    if (!quantizer || quantizer->outputs.size() != 3 || quantizer->inputs.empty() ||
        layer.inputs[0] != quantizer->outputs[0] || !is_constant(layer.inputs[1]))
      return false;
    const Layer* const cast = only_reader(layer.outputs[0], "Cast");
    const Layer* const product = cast ? only_reader(cast->outputs[0], "Mul") : nullptr;
    if (!product || product->outputs.empty()) return false;
    const Layer* const scales = made_by(other_than(*product, cast->outputs[0]), "Mul");
    if (!scales) return false;
    out.scale = other_than(*scales, quantizer->outputs[1]);
    if (!is_constant(out.scale)) return false;
    out.layer = layer.index;
    out.input = quantizer->inputs[0];
    out.weights = layer.inputs[1];
    out.output = product->outputs[0];
    out.last = product->index;
    out.inner = quantizer->outputs;
    out.inner.insert(out.inner.end(), {layer.outputs[0], cast->outputs[0], scales->outputs[0]});
    const Layer* const sum = only_reader(out.output, "Add");
    const int bias = sum && !sum->outputs.empty() ? in_shape(other_than(*sum, out.output)) : -1;
    if (is_constant(bias)) {
      out.bias = bias;
      out.inner.push_back(out.output);
      out.output = sum->outputs[0];
      out.last = sum->index;
    }
    return true;
  }

 private:
  bool is_constant(int tensor) const {
    return tensor >= 0 && graph_.tensors[at(tensor)].is_constant;
  }
  const Layer* made_by(int tensor, std::string_view type) const {
    const Layer* const layer = tensor < 0 ? nullptr : maker_[at(tensor)];
    return layer && layer->type == type ? layer : nullptr;
  }
  const Layer* only_reader(int tensor, std::string_view type) const {
    if (tensor < 0 || readers_[at(tensor)].size() != 1) return nullptr;
    const Layer* const layer = readers_[at(tensor)][0];
    return layer && layer->type == type && !layer->outputs.empty() ? layer : nullptr;
  }
  // The other factor or summand; -1 unless `tensor` is one of two.
  static int other_than(const Layer& layer, int tensor) {
    if (layer.inputs.size() != 2 || (layer.inputs[0] == layer.inputs[1])) return -1;
    return layer.inputs[0] == tensor   ? layer.inputs[1]
           : layer.inputs[1] == tensor ? layer.inputs[0]
                                       : -1;
  }
  // The bias of a convolution passes through a Reshape.
  int in_shape(int tensor) const {
    const Layer* const reshape = made_by(tensor, "Reshape");
    return reshape && !reshape->inputs.empty() ? reshape->inputs[0] : tensor;
  }

  const Graph& graph_;
  std::vector<const Layer*> maker_;
  std::vector<std::vector<const Layer*>> readers_;
};

}  // namespace

std::vector<DynamicOperator> dynamic_operators(const Graph& graph) {
  std::vector<DynamicOperator> found;
  if (std::none_of(graph.layers.begin(), graph.layers.end(), multiplies_codes)) return found;
  const Finder finder(graph);
  for (const Layer& layer : graph.layers)
    if (DynamicOperator one; finder.find(layer, one)) found.push_back(one);
  return found;
}

bool quantises_while_it_runs(const Graph& graph) {
  static constexpr std::array<std::string_view, 5> kTypes{
      "DynamicQuantizeLinear", "ConvInteger", "MatMulInteger",
      "com.microsoft:DynamicQuantizeMatMul", "com.microsoft:MatMulIntegerToFloat"};
  return std::any_of(graph.layers.begin(), graph.layers.end(), [](const Layer& layer) {
    return std::find(kTypes.begin(), kTypes.end(), layer.type) != kTypes.end();
  });
}

}  // namespace edgeprobe::model
