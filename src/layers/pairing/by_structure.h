// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "model/graph.h"

namespace edgeprobe::layers {

/// True if converters fold this operator into the preceding one: an activation, a batch norm.
bool is_folded(const model::Layer& layer);

/// Pairs tensors of two formats whose values no longer match, after a fault: readers of the same
/// tensors are pairs, and an activation that one side has inside an operator belongs to it.
/// `found`: the target's tensor by the reference's; `orders`: as Pairing::orders.
void pair_by_structure(const model::Graph& reference, const model::Graph& target,
                       std::map<int, int>& found, std::map<int, std::vector<int>>& orders);

}  // namespace edgeprobe::layers
