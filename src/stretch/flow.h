// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/result.h"
#include "model/cut.h"
#include "model/graph.h"

namespace edgeprobe::stretch {

/// Which layer waits for which. Nodes are the layers by their index, then the inputs of the model
/// as one source, then its outputs as one sink. Layers that no output needs, and those that say
/// nothing about an input (constants, shapes), have no edges.
struct Flow {
  std::vector<std::vector<int>> before, after;  ///< By node: ascending, once each.
  int source = 0, sink = 0;
  std::vector<int> order;     ///< Nodes with edges, each behind those before it.
  std::vector<int> maker;     ///< By tensor: the layer that makes it, or the source.
  std::vector<bool> settled;  ///< By tensor, as model::settled_tensors() tells.
};

/// kUnsupported for a model that keeps a state, where more than tensors tells the order of layers;
/// kCorrupt for layers that wait for one another.
Result<Flow> flow_of(const model::Graph& graph);

/// By node: the first one that each way from it to the sink passes (immediate post-dominator); -1:
/// the sink itself, or no edges. K. Cooper, T. Harvey and K. Kennedy, "A Simple, Fast Dominance
/// Algorithm", 2001, backwards; without circles one pass is enough.
std::vector<int> meetings(const Flow& flow);

/// Some layers, ascending, as what cut() makes a model of: with the constants and shapes that they
/// need, and as outputs all that other layers or the user read of them.
model::Part part_of(const model::Graph& graph, const Flow& flow, const std::vector<int>& layers);

}  // namespace edgeprobe::stretch
