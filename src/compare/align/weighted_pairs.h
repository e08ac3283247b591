// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "compare/align/by_graph.h"
#include "compare/align/weighted.h"

namespace edgeprobe::compare {

/// Pairs of layers with weights, by index. Layers are first paired by place in the graph
/// (pairs_by_graph()). The others are paired in order if both sides have the same operators and
/// weight shapes, since a converter may rename all results; else by operator names and by the pairs
/// of their output tensors.
std::vector<std::pair<std::size_t, std::size_t>> weighted_pairs(const WeightedGraph& reference,
                                                                const WeightedGraph& target,
                                                                const Mapping& mapping = {});

}  // namespace edgeprobe::compare
