// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "model/graph.h"
#include "stretch/flow.h"

namespace edgeprobe::stretch {

/// Layers that stay together in a list schedule.
struct Task {
  std::vector<int> layers;          ///< Ascending indices.
  std::vector<std::size_t> before;  ///< Tasks that make its inputs, ascending.
  double work = 0;                  ///< Multiply-accumulates.
};

/// Divides a model into at most `most` tasks in topological order. Layers in a row form one task,
/// and those with almost no work join the only task that they read from or that reads them. If
/// there are more, the task with the least work joins a neighbour. These unions never create a
/// cycle. Where tasks cannot be joined, more than `most` may remain: up to one for each layer with
/// edges in `flow`.
std::vector<Task> tasks_of(const model::Graph& graph, const Flow& flow, std::size_t most);

}  // namespace edgeprobe::stretch
