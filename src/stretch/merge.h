// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "model/graph.h"
#include "stretch/plan.h"

namespace edgeprobe::stretch {

/// The dimension along which the slices together are the whole; all others are equal. Of two slices
/// and more without empty ones there is one at most.
std::optional<std::size_t> axis_of(const model::Graph& graph, int whole,
                                   const std::vector<int>& slices);

/// Elements of the whole in front of each slice of a merge. `whole` and `slices`: the tensors that
/// it names. kUsage, with `place` in front, when `layer`, which makes the whole, is no Concat of
/// these slices, or its inputs do not lie one behind the other in its output.
Result<std::vector<std::size_t>> offsets_of(const model::Graph& graph, const Merge& merge,
                                            const std::string& place, const model::Layer* layer,
                                            int whole, const std::vector<int>& slices);

}  // namespace edgeprobe::stretch
