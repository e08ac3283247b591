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

/// A model as a chain: what runs alone, then a region whose branches may run side by side, then
/// what runs alone, and so on. Regions inside of others, and those that do not lie one behind the
/// other, are not in it.
struct Chain {
  std::vector<int> regions;  ///< Indices into Regions::list.
  /// By layer: how many regions of the chain end before it; -1: it has no edges.
  std::vector<int> passed;
  /// By layer: the place in `regions` of the one in whose branches it lies; -1: none.
  std::vector<int> region_of;
  /// By layer: the branch there.
  std::vector<int> branch_of;
};
Chain chain_of(const model::Graph& graph, const Flow& flow, const Regions& regions);
/// The same with its first regions alone.
void keep_first(Chain& chain, std::size_t regions);

/// Regions of a chain that are split, ascending, and where their branches run.
struct Division {
  struct Split {
    std::size_t region = 0;               ///< Place in Chain::regions.
    std::vector<std::size_t> processors;  ///< By branch.
  };
  std::vector<Split> splits;
};

/// What runs alone between two splits (the end of the one before, the begin of the one after;
/// nothing for an end of the model): ascending layers, regions between them included.
std::vector<int> alone(const Chain& chain, std::optional<std::size_t> after,
                       std::optional<std::size_t> before);
/// The branches of a split that one processor runs, as one group; ascending layers.
std::vector<int> together(const Chain& chain, const Division::Split& split, std::size_t processor);
/// Groups of a division, in an order in which they can run; what runs alone is the first
/// processor's.
std::vector<Group> groups_of(const Chain& chain, const Division& division, std::size_t processors);

/// Seconds that layers take on a processor; infinite where it cannot run them.
using Cost = std::function<double(const std::vector<int>& layers, std::size_t processor)>;
/// Seconds from the begin of a split to its end, on all processors at once.
using SplitCost = std::function<double(const Division::Split& split)>;
/// The slowest processor's, each as if it ran alone, and `handing_over` seconds at both ends.
SplitCost as_if_alone(const Chain& chain, const Cost& cost, std::size_t processors,
                      double handing_over);
/// The division of least time when each split and all that runs alone takes its cost: exact over
/// all subsets of the chain's regions (dynamic programming over the last split), with the best
/// `assignment` of each. Its time is told in `seconds`.
struct Divided {
  Division division;
  double seconds = 0;
};
/// The time of one division by the same reckoning.
double seconds_of(const Chain& chain, const Division& division, const Cost& cost,
                  const SplitCost& split_cost);

using Assignment = std::function<std::vector<std::size_t>(std::size_t region)>;
Divided divide(const Chain& chain, const Cost& cost, const SplitCost& split_cost,
               const Assignment& assignment);

/// Branches onto processors so that the last one is done first, when a processor takes the sum of
/// its branches' costs: exact up to 4096 ways, above that the longest branch first to where it is
/// done first.
std::vector<std::size_t> assign(const std::vector<std::vector<double>>& cost_by_branch);

}  // namespace edgeprobe::stretch
