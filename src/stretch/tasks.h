// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "model/graph.h"
#include "stretch/flow.h"

namespace edgeprobe::stretch {

/// Layers that stay together in a list schedule.
struct Task {
  std::vector<int> layers;          ///< Ascending.
  std::vector<std::size_t> before;  ///< Tasks that make what it reads, ascending.
  double work = 0;                  ///< Multiply-accumulates.
};

/// A model as at most so many tasks, each behind those before it: layers in a row are one, and
/// those with next to no work go to the one task that they read of or that reads of them. Of more
/// tasks the one with least work joins a neighbour. Such a union never makes two tasks wait for
/// each other. One for each layer with edges in `flow`, whatever `most` is, where they cannot be
/// joined.
std::vector<Task> tasks_of(const model::Graph& graph, const Flow& flow, std::size_t most);

}  // namespace edgeprobe::stretch
