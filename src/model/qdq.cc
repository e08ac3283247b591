// SPDX-License-Identifier: Apache-2.0
#include "model/qdq.h"

#include <algorithm>

#include "core/index.h"

namespace edgeprobe::model {
namespace {

bool quantizes(const Layer& layer) {
  return layer.type == "QuantizeLinear" || layer.type == "com.microsoft:QuantizeLinear";
}
bool dequantizes(const Layer& layer) {
  return layer.type == "DequantizeLinear" || layer.type == "com.microsoft:DequantizeLinear";
}

std::vector<int> makers(const Graph& graph) {
  std::vector<int> maker(graph.tensors.size(), -1);
  for (const Layer& layer : graph.layers)
    for (const int output : layer.outputs)
      if (output >= 0) maker[at(output)] = layer.index;
  return maker;
}

// The tensor that the layer converts, and its result; -1 if the file omits it.
int read_by(const Layer& layer) { return layer.inputs.empty() ? -1 : layer.inputs[0]; }
int made_by(const Layer& layer) { return layer.outputs.empty() ? -1 : layer.outputs[0]; }

// True if the QuantizeLinear only stores the result of another operator.
bool stores(const Graph& graph, const Layer& layer, const std::vector<int>& maker,
            const std::vector<bool>& within) {
  const int read = read_by(layer);
  return quantizes(layer) && read >= 0 && within[at(read)] && maker[at(read)] >= 0 &&
         !dequantizes(graph.layers[at(maker[at(read)])]);
}

}  // namespace

std::vector<bool> within_integer_operators(const Graph& graph) {
  const std::size_t count = graph.tensors.size();
  std::vector<bool> quantised(count), otherwise(count), within(count);
  for (const Layer& layer : graph.layers) {
    for (const int input : layer.inputs)
      if (input >= 0)
        (quantizes(layer) && input == layer.inputs[0] ? quantised : otherwise)[at(input)] = true;
    for (const int input : layer.implicit_inputs) otherwise[at(input)] = true;
  }
  for (std::size_t i = 0; i < count; ++i) within[i] = quantised[i] && !otherwise[i];
  for (const Layer& layer : graph.layers)
    if (dequantizes(layer))
      for (const int output : layer.outputs)
        if (output >= 0) within[at(output)] = true;
  for (const int output : graph.outputs) within[at(output)] = false;
  return within;
}

std::vector<int> stored_forms(const Graph& graph) {
  const std::vector<int> maker = makers(graph);
  const std::vector<bool> within = within_integer_operators(graph);
  std::vector<int> forms(graph.tensors.size());
  for (std::size_t i = 0; i < forms.size(); ++i) forms[i] = static_cast<int>(i);
  for (const Layer& layer : graph.layers) {
    const int read = read_by(layer), made = made_by(layer);
    if (read < 0 || made < 0) continue;
    if (dequantizes(layer)) forms[at(made)] = read;
    // If several store it, the first counts.
    if (stores(graph, layer, maker, within) && forms[at(read)] == read) forms[at(read)] = made;
  }
  return forms;
}

std::vector<int> result_layers(const Graph& graph) {
  const std::vector<int> maker = makers(graph);
  const std::vector<bool> within = within_integer_operators(graph);
  std::vector<int> results = maker;
  for (const Layer& layer : graph.layers)
    if (stores(graph, layer, maker, within) && made_by(layer) >= 0)
      results[at(made_by(layer))] = maker[at(read_by(layer))];
  return results;
}

std::vector<bool> parts_of_operators(const Graph& graph) {
  const std::vector<int> maker = makers(graph);
  const std::vector<bool> within = within_integer_operators(graph);
  std::vector<bool> parts(graph.layers.size());
  for (const Layer& layer : graph.layers)
    parts[at(layer.index)] = dequantizes(layer) || stores(graph, layer, maker, within);
  return parts;
}

int stored_form(const Graph& graph, int tensor) { return stored_forms(graph)[at(tensor)]; }

const Layer* layer_of(const Graph& graph, int tensor) {
  const int layer = result_layers(graph)[at(tensor)];
  return layer < 0 ? nullptr : &graph.layers[at(layer)];
}

}  // namespace edgeprobe::model
