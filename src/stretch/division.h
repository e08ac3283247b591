// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "model/graph.h"
#include "stretch/flow.h"
#include "stretch/groups.h"
#include "stretch/regions.h"

namespace edgeprobe::stretch {

/// A model as a chain: serial layers, a region whose branches may run in parallel, serial layers,
/// and so on. Nested regions, and regions that are not in sequence, are excluded.
struct Chain {
  std::vector<int> regions;  ///< Indices into Regions::list.
  /// By layer: number of regions in the chain that end before it; -1: no edges.
  std::vector<int> passed;
  /// By layer: position in `regions` of the region whose branches contain it; -1: none.
  std::vector<int> region_of;
  /// By layer: its branch in that region.
  std::vector<int> branch_of;
};
Chain chain_of(const model::Graph& graph, const Flow& flow, const Regions& regions);
/// Keeps only the first `regions` regions of the chain.
void keep_first(Chain& chain, std::size_t regions);

/// The split regions of a chain, ascending, with the processors of their branches.
struct Division {
  struct Split {
    std::size_t region = 0;               ///< Position in Chain::regions.
    std::vector<std::size_t> processors;  ///< Indexed by branch.
  };
  std::vector<Split> splits;
};

/// The layers between the regions `after` and `before` (positions in Chain::regions), ascending,
/// including regions in between. Unset: from the beginning of the model, or to its end.
std::vector<int> alone(const Chain& chain, std::optional<std::size_t> after,
                       std::optional<std::size_t> before);
/// The branches of a split that one processor runs, as one group; ascending layers.
std::vector<int> together(const Chain& chain, const Division::Split& split, std::size_t processor);
/// Groups of a division, in an order in which they can run; serial parts run on the first
/// processor.
std::vector<Group> groups_of(const Chain& chain, const Division& division, std::size_t processors);

/// Seconds that layers take on a processor; infinite if it cannot run them.
using Cost = std::function<double(const std::vector<int>& layers, std::size_t processor)>;
/// Seconds from the beginning of a split to its end, with all processors in parallel.
using SplitCost = std::function<double(const Division::Split& split)>;
/// The time of the slowest processor, each measured without the others, plus `handing_over` seconds
/// at both ends.
SplitCost as_if_alone(const Chain& chain, const Cost& cost, std::size_t processors,
                      double handing_over);
/// The fastest division, given the costs of each split and of each serial part: exact over all
/// subsets of the chain's regions (dynamic programming over the last split), with the best
/// `assignment` for each. `seconds` is its time.
struct Divided {
  Division division;
  double seconds = 0;
};
/// The time of one division by the same cost model.
double seconds_of(const Chain& chain, const Division& division, const Cost& cost,
                  const SplitCost& split_cost);

using Assignment = std::function<std::vector<std::size_t>(std::size_t region)>;
Divided divide(const Chain& chain, const Cost& cost, const SplitCost& split_cost,
               const Assignment& assignment);

/// Assigns branches to processors so that the last one finishes earliest; a processor takes the sum
/// of its branches' costs. Exact up to 4096 assignments; above that, greedy: the longest branch
/// first, where it finishes first.
std::vector<std::size_t> assign(const std::vector<std::vector<double>>& cost_by_branch);

}  // namespace edgeprobe::stretch
