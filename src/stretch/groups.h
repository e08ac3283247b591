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

/// Layers that one processor runs without a break.
struct Group {
  std::string name;
  std::vector<int> layers;    ///< Indices, ascending.
  std::size_t processor = 0;  ///< Index into the processors of the plan.
};

/// A plan that runs these groups, each processor its own in this order. Each layer with edges in
/// `flow` lies in one group; a group reads only what groups before it in the list make. A processor
/// waits for another one only where it reads what that made and has not waited since. A Concat
/// whose inputs other groups make, and whose dimensions before its axis are all 1, becomes a merge,
/// and its layer leaves its group; `merge_concats` false leaves all to the engines. Groups that are
/// empty then are left out.
Plan plan_of(const model::Graph& graph, const Flow& flow, const std::vector<Processor>& processors,
             std::vector<Group> groups, bool merge_concats = true);

}  // namespace edgeprobe::stretch
