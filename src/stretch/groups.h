// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"
#include "model/graph.h"
#include "stretch/flow.h"
#include "stretch/plan.h"

namespace edgeprobe::stretch {

/// Layers that one processor runs without interruption.
struct Group {
  std::string name;
  std::vector<int> layers;    ///< Indices, ascending.
  std::size_t processor = 0;  ///< Index into the processors of the plan.
};

/// Returns a plan that runs these groups, in this order on each processor. Each layer with edges in
/// `flow` is in one group; a group reads only from groups before it in the list. A processor waits
/// for another only if it reads a tensor from it and has not waited since. A Concat whose inputs
/// come from other groups, and whose dimensions before its axis are all 1, becomes a merge, and its
/// layer leaves its group; `merge_concats` false leaves all of them to the engines. Groups that
/// become empty are dropped.
Plan plan_of(const model::Graph& graph, const Flow& flow, const std::vector<Processor>& processors,
             std::vector<Group> groups, bool merge_concats = true);

}  // namespace edgeprobe::stretch
