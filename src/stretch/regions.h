// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/result.h"
#include "model/cut.h"
#include "model/graph.h"

namespace edgeprobe::stretch {

/// Layers of a region that wait for none of its other branches.
struct Branch {
  /// What cut() makes a model of: with the constants and shapes that its layers need.
  model::Part part;
  std::uint64_t macs = 0;   ///< Of the layers whose work is known.
  std::size_t unknown = 0;  ///< Layers whose work is not.
  /// Of the tensors that it is fed with and that it hands on, open dimensions counted as 1; nothing
  /// where a shape or the size of a type is unknown.
  std::optional<std::uint64_t> bytes_in, bytes_out;
};

/// What lies between a layer that all ways into it pass and one where they meet: at least two
/// branches with work, so that two processors could run them side by side without a change of any
/// number. Ways from the first layer past the last one, such as the shortcut around the heads of an
/// attention layer, are not of the region.
struct Region {
  int fork = -1;                 ///< Index of a layer; -1: the inputs of the model.
  int join = -1;                 ///< Index of a layer; -1: the outputs of the model.
  std::vector<Branch> branches;  ///< The one with most work first.
  int inside = -1;               ///< The region in one of whose branches it lies; -1: none.
};

struct Regions {
  /// In the order of their forks, a region behind those that it lies in.
  std::vector<Region> list;
  /// Multiply-accumulates of the layers on the way with most of them (critical path). Layers that
  /// lie in no region may still run side by side: this alone limits what can be won.
  std::uint64_t longest_way = 0;
};

/// kUnsupported for a model that keeps a state, kCorrupt for layers that wait for one another.
Result<Regions> regions_of(const model::Graph& graph);

/// How many times as fast as one processor so many equal ones are, when work is counted in
/// multiply-accumulates, branches go whole to one processor each (the longest first to the one that
/// is free first), regions inside of them do not count, and handing over costs nothing. Nothing
/// where the work of a layer is unknown.
std::optional<double> speed_up(const model::Graph& graph, const std::vector<Region>& regions,
                               int processors);
/// The same of any number of processors in any order of the layers: no more than this.
std::optional<double> limit(const model::Graph& graph, const Regions& regions);

}  // namespace edgeprobe::stretch
