// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/graph.h"

/// The wrong operators of an engine that shows no layers, found by parts of the model that it runs.
namespace edgeprobe::bisect {

/// The smallest part of a model that can be run alone: one operator, or several where tensors
/// between them cannot be handed over (QDQ, shapes that are computed).
struct Unit {
  int first = 0, last = 0;  ///< Layers [first, last] of the graph.
  int layer = 0;            ///< The one that it is named by: with the most work, else the last.
  /// Others that run with it, ascending: what was named by them before the cuts between them were
  /// taken away, and reshapes before it whose results cannot be handed over.
  std::vector<int> joined;
};

/// A model as a row of units, and what crosses each cut between them.
struct Units {
  std::vector<Unit> units;
  /// By cut (0: before the first unit): the tensors that units behind it or the caller need from
  /// before it, ascending. The last holds the graph's outputs, in the graph's order.
  std::vector<std::vector<int>> crossing;
};

/// In the order of execution. kUnsupported for a model that keeps a state, or that has nothing to
/// run.
Result<Units> units_of(const model::Graph& graph);

/// Without the cuts that one of these tensors crosses: the units on both sides become one.
Units joined(const model::Graph& graph, Units units, const std::vector<int>& tensors);

/// "#12 CONV_2D 'block1/conv'", "#12 CONV_2D 'block1/conv' with #13 ADD 'block1/add'".
std::string unit_text(const model::Graph& graph, const Unit& unit);

}  // namespace edgeprobe::bisect
