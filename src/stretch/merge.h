// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "model/graph.h"
#include "stretch/plan.h"
#include "stretch/schedule.h"

namespace edgeprobe::stretch {

/// Where the slices of a merge lie. `whole` and `slices`: the tensors that it names. kUsage, with
/// `place` in front, when `layer`, which makes the whole, is no Concat of these slices, or its
/// inputs do not lie one behind the other in its output.
Result<std::vector<Schedule::View>> views_of(const model::Graph& graph, const Merge& merge,
                                             const std::string& place, const model::Layer* layer,
                                             int whole, const std::vector<int>& slices);

}  // namespace edgeprobe::stretch
