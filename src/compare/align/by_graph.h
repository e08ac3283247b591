// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "compare/align/weighted.h"

namespace edgeprobe::compare {

/// Names of tensors that belong together, the reference's first.
using Mapping = std::vector<std::pair<std::string, std::string>>;

/// Pairs of two graphs, by their own indices.
struct GraphPairs {
  std::vector<std::pair<int, int>> tensors;  ///< In the form in which they are stored.
  std::vector<std::pair<std::size_t, std::size_t>> layers;  ///< Of layers with weights.
  /// Equal names are those of other layers, as where an exporter numbers tensors.
  bool names_mislead = false;
};

/// Pairs what names leave open and order may get wrong: branches of one shape that another exporter
/// writes in another order. From the inputs, the outputs and what `mapping` names the pairs spread
/// along the graph: the operators that make two partners are partners, so are the only two of a
/// kind that read them. Where a fork or a sum leaves several alike, the stored weights decide, and
/// the slots of a Concat only after these. Names of tensors between the ends are used where both
/// files have them, unless the weights contradict them and bear the graph out.
GraphPairs pairs_by_graph(const WeightedGraph& reference, const WeightedGraph& target,
                          const Mapping& mapping = {});

}  // namespace edgeprobe::compare
