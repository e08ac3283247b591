// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/graph.h"

/// Finds the wrong operators of an engine that exposes no layers, by running parts of the model.
namespace edgeprobe::bisect {

/// The smallest part of a model that can run separately: one operator, or several if the tensors
/// between them cannot be passed to the engine (QDQ, computed shapes).
struct Unit {
  int first = 0, last = 0;  ///< Layers [first, last] of the graph.
  int layer = 0;            ///< The layer that names it: the one with the most work, else the last.
  /// Other layers that run with it, ascending: those that had their own units until the cuts
  /// between them were removed, and earlier reshapes whose results cannot be passed to the engine.
  std::vector<int> joined;
};

/// A model as a sequence of units, with the tensors that cross each cut.
struct Units {
  std::vector<Unit> units;
  /// By cut (0: before the first unit): tensors made before it that later units or the caller need,
  /// ascending. The last entry holds the graph's outputs, in the graph's order.
  std::vector<std::vector<int>> crossing;
};

/// In execution order. kUnsupported for a model with state, or without anything to run.
Result<Units> units_of(const model::Graph& graph);

/// Removes the cuts that one of these tensors crosses, merging the units on both sides.
Units joined(const model::Graph& graph, Units units, const std::vector<int>& tensors);

/// "#12 CONV_2D 'block1/conv'", "#12 CONV_2D 'block1/conv' with #13 ADD 'block1/add'".
std::string unit_text(const model::Graph& graph, const Unit& unit);

}  // namespace edgeprobe::bisect
