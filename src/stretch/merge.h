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

/// The dimension along which the slices form the whole; all others are equal. With two or more
/// non-empty slices there is at most one.
std::optional<std::size_t> axis_of(const model::Graph& graph, int whole,
                                   const std::vector<int>& slices);

/// Offset, in elements, of each slice of a merge in the whole. `whole` and `slices`: the tensors
/// that it names. kUsage, prefixed with `place`, if `layer`, which makes the whole, is not a Concat
/// of these slices, or if its inputs are not contiguous in its output.
Result<std::vector<std::size_t>> offsets_of(const model::Graph& graph, const Merge& merge,
                                            const std::string& place, const model::Layer* layer,
                                            int whole, const std::vector<int>& slices);

}  // namespace edgeprobe::stretch
