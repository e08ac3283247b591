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

/// Layers of a region that do not depend on its other branches.
struct Branch {
  /// A Part for cut(): with the constants and shapes that its layers need.
  model::Part part;
  std::uint64_t macs = 0;   ///< Of the layers with known work.
  std::size_t unknown = 0;  ///< Layers with unknown work.
  /// Bytes of the tensors that it reads and returns, open dimensions counted as 1; empty if a shape
  /// or the size of a type is unknown.
  std::optional<std::uint64_t> bytes_in, bytes_out;
};

/// Everything between a layer on all paths into it and one where they meet: at least two branches
/// with work, so that two processors could run them in parallel without changing any number. Paths
/// from the first layer past the last one, such as the shortcut around the heads of an attention
/// layer, are not part of the region.
struct Region {
  int fork = -1;                 ///< Index of a layer; -1: the inputs of the model.
  int join = -1;                 ///< Index of a layer; -1: the outputs of the model.
  std::vector<Branch> branches;  ///< The branch with the most work first.
  int inside = -1;               ///< The region that contains it in one of its branches; -1: none.
};

struct Regions {
  /// In the order of their forks, each region after those that contain it.
  std::vector<Region> list;
  /// Multiply-accumulates on the critical path, the path with the most work. Layers outside of
  /// regions may still run in parallel: only this limits the possible gain.
  std::uint64_t longest_way = 0;
};

/// kUnsupported for a model that keeps a state, kCorrupt for a cycle of layers.
Result<Regions> regions_of(const model::Graph& graph);

/// Speed-up of this many equal processors over one, if work is counted in multiply-accumulates,
/// each branch runs on one processor (the longest first, on the one that is free first), nested
/// regions are ignored, and hand-overs are free. Empty if the work of a layer is unknown.
std::optional<double> speed_up(const model::Graph& graph, const std::vector<Region>& regions,
                               int processors);
/// Upper bound of the speed-up for any number of processors and any order of the layers.
std::optional<double> limit(const model::Graph& graph, const Regions& regions);

}  // namespace edgeprobe::stretch
