// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/graph.h"
#include "stretch/division.h"
#include "stretch/groups.h"

namespace edgeprobe::placement {

/// Maximum tasks in a list schedule: each is cut out and timed on each kind of processor.
inline constexpr std::size_t kMostTasks = 24;
/// Maximum pieces whose cost listed_promise() requests, for processors of one kind.
inline constexpr std::size_t kMostListedPieces = 3 * kMostTasks;

/// A promising list schedule, with the estimate from its pieces.
struct ListedPromise {
  std::string name;  ///< "list schedule over 2 processors".
  std::vector<stretch::Group> groups;
  double seconds = 0;  ///< Each piece as measured separately, plus hand-overs.
};

/// True if arbitrary tasks divide better than regions in sequence, counted in multiply-accumulates:
/// false for a chain of regions, and if nothing runs in parallel.
bool is_worth_listing(const model::Graph& graph, const stretch::Flow& flow,
                      const stretch::Chain& chain, const stretch::Regions& regions,
                      const std::vector<double>& slowness);

/// The best list schedule by the costs of its pieces, out of several made with different assumed
/// hand-over costs, since a cut costs an engine more than the hand-over. Empty if all of it is on
/// one processor, or a piece does not run.
std::optional<ListedPromise> listed_promise(const model::Graph& graph, const stretch::Flow& flow,
                                            const stretch::Cost& cost, std::size_t processors);

}  // namespace edgeprobe::placement
