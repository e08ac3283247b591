// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::stretch {

/// Which layer waits for which. Nodes are the layers by their index, then the inputs of the model
/// as one source, then its outputs as one sink. Layers that no output needs, and those that say
/// nothing about an input (constants, shapes), have no edges.
struct Flow {
  std::vector<std::vector<int>> before, after;  ///< By node: ascending, once each.
  int source = 0, sink = 0;
  std::vector<int> order;  ///< Nodes with edges, each behind those before it.
  std::vector<int> maker;  ///< By tensor: the layer that makes it, or the source.
};

/// kUnsupported for a model that keeps a state, where more than tensors tells the order of layers;
/// kCorrupt for layers that wait for one another.
Result<Flow> flow_of(const model::Graph& graph);

/// By node: the last one that each way to it passes (immediate dominator), or from it to the sink
/// where `backwards`; -1: the beginning of all ways, or no edges. K. Cooper, T. Harvey and
/// K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001; without circles one pass is enough.
std::vector<int> dominators(const Flow& flow, bool backwards);

}  // namespace edgeprobe::stretch
