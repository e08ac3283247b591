// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "compare/align/by_graph.h"
#include "compare/align/weighted.h"

namespace edgeprobe::compare {

/// Layers with weights that belong together, by their indices: by their place in the graph
/// (pairs_by_graph()); of the others one for one in order when both sides have the same operators
/// and shapes of weights, for a converter may rename all that they compute; else by the names of
/// the operators, and as the tensors that they make are paired.
std::vector<std::pair<std::size_t, std::size_t>> weighted_pairs(const WeightedGraph& reference,
                                                                const WeightedGraph& target,
                                                                const Mapping& mapping = {});

}  // namespace edgeprobe::compare
