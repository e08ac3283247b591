// SPDX-License-Identifier: Apache-2.0
#include "model/qdq.h"

#include <algorithm>

namespace edgeprobe::model {
namespace {

constexpr const char* kQuantize = "QuantizeLinear";
constexpr const char* kDequantize = "DequantizeLinear";

const Layer* maker_of(const Graph& graph, int tensor) {
  for (const Layer& layer : graph.layers)
    if (std::find(layer.outputs.begin(), layer.outputs.end(), tensor) != layer.outputs.end())
      return &layer;
  return nullptr;
}

}  // namespace

std::vector<bool> within_integer_operators(const Graph& graph) {
  const std::size_t count = graph.tensors.size();
  std::vector<bool> quantised(count), otherwise(count), within(count);
  for (const Layer& layer : graph.layers)
    for (const int input : layer.inputs)
      if (input >= 0)
        (layer.type == kQuantize && input == layer.inputs[0]
             ? quantised
             : otherwise)[static_cast<std::size_t>(input)] = true;
  for (std::size_t i = 0; i < count; ++i) within[i] = quantised[i] && !otherwise[i];
  for (const Layer& layer : graph.layers)
    if (layer.type == kDequantize)
      for (const int output : layer.outputs)
        if (output >= 0) within[static_cast<std::size_t>(output)] = true;
  return within;
}

int stored_form(const Graph& graph, int tensor) {
  const Layer* const maker = maker_of(graph, tensor);
  return maker && maker->type == kDequantize && !maker->inputs.empty() && maker->inputs[0] >= 0
             ? maker->inputs[0]
             : tensor;
}

const Layer* layer_of(const Graph& graph, int tensor) {
  const Layer* const maker = maker_of(graph, tensor);
  if (!maker || maker->type != kQuantize || maker->inputs.empty() || maker->inputs[0] < 0)
    return maker;
  const Layer* const before = maker_of(graph, maker->inputs[0]);
  return before && before->type != kDequantize &&
                 within_integer_operators(graph)[static_cast<std::size_t>(maker->inputs[0])]
             ? before
             : maker;
}

}  // namespace edgeprobe::model
