// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "model/graph.h"

namespace edgeprobe::layers {

/// Whether converters put this operator into the one in front of it: an activation, a batch norm.
bool is_folded(const model::Layer& layer);

/// Pairs tensors of two formats whose values fit no longer, behind a fault: what reads the same
/// tensors belongs together, and what one side holds inside an operator, an activation, belongs to
/// it. `found`: the target's tensor by the reference's; `orders`: as Pairing::orders.
void pair_by_structure(const model::Graph& reference, const model::Graph& target,
                       std::map<int, int>& found, std::map<int, std::vector<int>>& orders);

}  // namespace edgeprobe::layers
