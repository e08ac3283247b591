// SPDX-License-Identifier: Apache-2.0
#include "stretch/flow.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/index.h"
#include "core/text.h"
#include "model/qdq.h"
#include "model/state.h"

namespace edgeprobe::stretch {
namespace {

using model::Graph;
using model::Layer;

bool is_tensor(const Graph& graph, int tensor) {
  return tensor >= 0 && at(tensor) < graph.tensors.size();
}

/// The tensors that a layer reads, including those of its bodies.
std::vector<int> read_by(const Graph& graph, const Layer& layer) {
  std::vector<int> tensors;
  for (const std::vector<int>* const list : {&layer.inputs, &layer.implicit_inputs})
    for (const int tensor : *list)
      if (is_tensor(graph, tensor)) tensors.push_back(tensor);
  return tensors;
}

std::vector<bool> restored(const Graph& graph) {
  const std::vector<bool> within = model::within_integer_operators(graph);
  std::vector<bool> restored(graph.tensors.size());
  for (const Layer& layer : graph.layers)
    if (layer.type == "DequantizeLinear" && !layer.inputs.empty())
      for (const int output : layer.outputs)
        if (is_tensor(graph, output)) restored[at(output)] = within[at(output)];
  return restored;
}

Status check_state(const Graph& graph) {
  const std::string state = model::state_of(graph);
  for (const Layer& layer : graph.layers)
    if (!state.empty() && model::touches_state(graph, layer))
      return Error{ErrorKind::kUnsupported,
                   "layer " + std::to_string(layer.index) + " (" + sanitized(layer.type, 60) +
                       ") keeps a state in '" + sanitized(state, 60) +
                       "': only models whose layers depend only on tensors can be divided"};
  return {};
}

/// Walks back from the sink: nodes that the outputs need.
std::vector<bool> needed(const std::vector<std::vector<int>>& before, int sink) {
  std::vector<bool> seen(before.size());
  std::vector<int> open{sink};
  seen[at(sink)] = true;
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    for (const int one : before[at(node)]) {
      if (seen[at(one)]) continue;
      seen[at(one)] = true;
      open.push_back(one);
    }
  }
  return seen;
}

/// Topological order by Kahn's method; incomplete if the graph has a cycle.
std::vector<int> sorted(const Flow& flow) {
  std::vector<std::size_t> waits(flow.before.size());
  for (std::size_t node = 0; node < waits.size(); ++node) waits[node] = flow.before[node].size();
  std::vector<int> order;
  // The lowest layer first, so that the file's order is kept if it is valid.
  std::set<int> ready{flow.source};
  while (!ready.empty()) {
    const int node = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(node);
    for (const int next : flow.after[at(node)])
      if (--waits[at(next)] == 0) ready.insert(next);
  }
  return order;
}

}  // namespace

Result<Flow> flow_of(const Graph& graph) {
  EP_CHECK(check_state(graph));
  const int layers = static_cast<int>(graph.layers.size());
  Flow flow;
  flow.source = layers;
  flow.sink = layers + 1;
  flow.settled = model::settled_tensors(graph);
  flow.restored = restored(graph);
  std::vector<int>& maker = flow.maker;
  maker.assign(graph.tensors.size(), layers);  // Tensors that no layer makes are inputs.
  for (const Layer& layer : graph.layers)
    for (const int tensor : layer.outputs)
      if (is_tensor(graph, tensor)) maker[at(tensor)] = layer.index;
  const auto flows = [&](int tensor) {
    return !flow.settled[at(tensor)] && !graph.tensors[at(tensor)].is_constant;
  };
  std::vector<std::set<int>> before(graph.layers.size() + 2);
  for (const Layer& layer : graph.layers) {
    if (std::none_of(layer.outputs.begin(), layer.outputs.end(),
                     [&](int tensor) { return is_tensor(graph, tensor) && flows(tensor); }))
      continue;
    for (const int tensor : read_by(graph, layer))
      if (flows(tensor)) before[at(layer.index)].insert(maker[at(tensor)]);
    // The layer has no inputs: it makes random numbers, or creates an empty sequence.
    if (before[at(layer.index)].empty()) before[at(layer.index)].insert(layers);
  }
  for (const int tensor : graph.outputs)
    if (is_tensor(graph, tensor) && flows(tensor)) before[at(flow.sink)].insert(maker[at(tensor)]);
  flow.before.resize(before.size());
  flow.after.resize(before.size());
  for (std::size_t node = 0; node < before.size(); ++node)
    flow.before[node] = {before[node].begin(), before[node].end()};
  const std::vector<bool> kept = needed(flow.before, flow.sink);
  std::size_t nodes = 0;
  for (std::size_t node = 0; node < before.size(); ++node) {
    if (!kept[node]) flow.before[node].clear();
    nodes += kept[node] ? 1 : 0;
    for (const int one : flow.before[node]) flow.after[at(one)].push_back(static_cast<int>(node));
  }
  flow.order = sorted(flow);
  if (kept[at(flow.source)] && flow.order.size() < nodes)
    return Error{ErrorKind::kCorrupt, "some layers wait for one another"};
  return flow;
}

std::vector<int> meetings(const Flow& flow) {
  std::vector<std::size_t> place(flow.before.size());
  for (std::size_t i = 0; i < flow.order.size(); ++i) place[at(flow.order[i])] = i;
  std::vector<int> meeting(flow.before.size(), -1);
  // The last one is the sink.
  for (auto node = flow.order.rbegin(); node != flow.order.rend(); ++node) {
    int common = -1;
    for (int one : flow.after[at(*node)]) {
      if (common < 0) common = one;
      while (common != one) {
        int& earlier = place[at(common)] < place[at(one)] ? common : one;
        earlier = meeting[at(earlier)];
      }
    }
    meeting[at(*node)] = common;
  }
  return meeting;
}

model::Part part_of(const Graph& graph, const Flow& flow, const std::vector<int>& layers) {
  std::set<int> made, handed_on;
  for (const int layer : layers)
    made.insert(graph.layers[at(layer)].outputs.begin(), graph.layers[at(layer)].outputs.end());
  const auto hand_on = [&](const std::vector<int>& tensors) {
    for (const int tensor : tensors) {
      if (!is_tensor(graph, tensor)) continue;
      // Who reads a restored tensor restores it.
      const int read =
          flow.restored[at(tensor)] ? graph.layers[at(flow.maker[at(tensor)])].inputs[0] : tensor;
      if (is_tensor(graph, read) && made.count(read) > 0 && !flow.settled[at(read)])
        handed_on.insert(read);
    }
  };
  for (const model::Layer& layer : graph.layers) {
    if (std::binary_search(layers.begin(), layers.end(), layer.index)) continue;
    hand_on(layer.inputs);
    hand_on(layer.implicit_inputs);
  }
  hand_on(graph.outputs);
  // Tensors not made by these layers are given; settled and restored tensors are copied.
  std::vector<bool> fed(graph.tensors.size());
  for (std::size_t tensor = 0; tensor < fed.size(); ++tensor)
    fed[tensor] = !flow.settled[tensor] && !flow.restored[tensor] &&
                  made.count(static_cast<int>(tensor)) == 0;
  return model::part_for(graph, {handed_on.begin(), handed_on.end()}, fed);
}

}  // namespace edgeprobe::stretch
