// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "compare/align/weighted.h"

namespace edgeprobe::compare {

/// Pairs of tensor names, the reference's first.
using Mapping = std::vector<std::pair<std::string, std::string>>;

/// Pairs of two graphs, by their indices.
struct GraphPairs {
  std::vector<std::pair<int, int>> tensors;  ///< Of a dequantised tensor, the stored form.
  std::vector<std::pair<std::size_t, std::size_t>> layers;  ///< Layers with weights.
  /// Equal names belong to different layers, for instance if an exporter numbers tensors.
  bool names_mislead = false;
};

/// Pairs layers that names leave open and that their order may pair wrongly: branches of equal
/// shape that another exporter writes in another order. Pairs spread along the graph from the
/// inputs, the outputs and the names in `mapping`: operators that make two partners are partners,
/// and so are the only two of a kind that read them. If a fork or a sum leaves several candidates,
/// the stored weights decide, then the slots of a Concat. Uses tensor names between the ends if
/// both files have them, unless the weights contradict them and confirm the graph.
GraphPairs pairs_by_graph(const WeightedGraph& reference, const WeightedGraph& target,
                          const Mapping& mapping = {});

}  // namespace edgeprobe::compare
