// SPDX-License-Identifier: Apache-2.0
#include "model/cut.h"

#include <algorithm>
#include <set>

#include "core/index.h"
#include "model/qdq.h"

namespace edgeprobe::model {
namespace {

bool is_tensor(const Graph& graph, int tensor) {
  return tensor >= 0 && at(tensor) < graph.tensors.size();
}

// The layer that computes each tensor; -1: none.
std::vector<int> makers(const Graph& graph) {
  std::vector<int> maker(graph.tensors.size(), -1);
  for (const Layer& layer : graph.layers)
    for (const int output : layer.outputs)
      if (is_tensor(graph, output)) maker[at(output)] = layer.index;
  return maker;
}

// Tensors of the layers up to `last` that a trace or a capture can hold.
std::vector<bool> held_up_to(const Graph& graph, int last) {
  std::vector<bool> held(graph.tensors.size());
  const std::vector<int> maker = result_layers(graph);
  for (const int tensor : capturable(graph)) held[at(tensor)] = maker[at(tensor)] <= last;
  for (const int tensor : graph.inputs) held[at(tensor)] = true;
  return held;
}

}  // namespace

Part part_for(const Graph& graph, const std::vector<int>& outputs, const std::vector<bool>& fed) {
  const std::vector<int> maker = makers(graph);
  std::set<int> layers, inputs;
  std::vector<int> wanted;
  const auto is_stored = [&](int tensor) {
    return graph.tensors[at(tensor)].is_constant || graph.tensors[at(tensor)].is_variable;
  };
  const auto take = [&](int input) {
    if (!is_tensor(graph, input) || is_stored(input)) return;
    const bool given = (at(input) < fed.size() && fed[at(input)]) || maker[at(input)] < 0;
    if (given) inputs.insert(input);
    else wanted.push_back(input);
  };
  for (const int output : outputs) {
    if (maker[at(output)] >= 0) wanted.push_back(output);
    else if (!is_stored(output)) inputs.insert(output);
  }
  while (!wanted.empty()) {
    const int layer = maker[at(wanted.back())];
    wanted.pop_back();
    if (!layers.insert(layer).second) continue;
    for (const int input : graph.layers[at(layer)].inputs) take(input);
    for (const int input : graph.layers[at(layer)].implicit_inputs) take(input);
  }
  // The output of a kept layer is not an input of the part, even if another kept layer reads it.
  for (const int layer : layers)
    for (const int output : graph.layers[at(layer)].outputs) inputs.erase(output);
  return {{layers.begin(), layers.end()}, {inputs.begin(), inputs.end()}, outputs};
}

Part one_op(const Graph& graph, int layer) {
  const std::vector<int> forms = stored_forms(graph), results = result_layers(graph);
  std::vector<int> outputs;
  for (const int output : graph.layers[at(layer)].outputs)
    if (is_tensor(graph, output))
      outputs.push_back(results[at(forms[at(output)])] == layer ? forms[at(output)] : output);
  return part_for(graph, outputs, held_up_to(graph, layer - 1));
}

Part rest_after(const Graph& graph, int layer, const std::vector<int>& outputs) {
  return part_for(graph, outputs, held_up_to(graph, layer));
}

}  // namespace edgeprobe::model
