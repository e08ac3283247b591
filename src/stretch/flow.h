// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/result.h"
#include "model/cut.h"
#include "model/graph.h"

namespace edgeprobe::stretch {

/// Dependencies between layers. Nodes are the layers by index, then the model's inputs as one
/// source, then its outputs as one sink. Layers that no output needs, and those that do not depend
/// on an input (constants, shapes), have no edges.
struct Flow {
  std::vector<std::vector<int>> before, after;  ///< By node: ascending, without duplicates.
  int source = 0, sink = 0;
  std::vector<int> order;     ///< Nodes with edges, in topological order.
  std::vector<int> maker;     ///< By tensor: the layer that makes it, or the source.
  std::vector<bool> settled;  ///< By tensor, from model::settled_tensors().
  /// By tensor: the result of a DequantizeLinear that engines run as one with its readers. Each
  /// part that reads it computes it itself, from the integers.
  std::vector<bool> restored;
};

/// kUnsupported for a model that keeps a state, where tensors do not determine the whole order of
/// layers; kCorrupt for a cycle of layers.
Result<Flow> flow_of(const model::Graph& graph);

/// By node: its immediate post-dominator, the first node on every path from it to the sink; -1: the
/// sink itself, or no edges. K. Cooper, T. Harvey and K. Kennedy, "A Simple, Fast Dominance
/// Algorithm", 2001, applied backwards; without cycles one pass is enough.
std::vector<int> meetings(const Flow& flow);

/// Some layers, ascending, as a Part for cut(): with the constants and shapes that they need, and
/// as outputs every tensor that other layers or the user read.
model::Part part_of(const model::Graph& graph, const Flow& flow, const std::vector<int>& layers);

}  // namespace edgeprobe::stretch
