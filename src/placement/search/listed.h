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

/// Tasks of a list schedule: each is cut out and timed on each kind of processor.
inline constexpr std::size_t kMostTasks = 24;
/// Pieces that listed_promise() asks the cost of, for processors of one kind.
inline constexpr std::size_t kMostListedPieces = 3 * kMostTasks;

/// A list schedule that is worth a look, and what its pieces promise.
struct ListedPromise {
  std::string name;  ///< "list schedule over 2 processors".
  std::vector<stretch::Group> groups;
  double seconds = 0;  ///< Each piece as if it ran alone, and the hand-overs.
};

/// Whether tasks of any shape divide better than regions one behind the other, counted in
/// multiply-accumulates: not in a chain of regions, nor where nothing runs side by side.
bool is_worth_listing(const model::Graph& graph, const stretch::Flow& flow,
                      const stretch::Chain& chain, const stretch::Regions& regions,
                      const std::vector<double>& slowness);

/// The best list schedule by the costs of its pieces: of several that come from the costs of tasks
/// with more and with less reluctance to hand over, since a cut costs an engine more than its
/// hand-over. Nothing where all of it lies on one processor, or a piece does not run.
std::optional<ListedPromise> listed_promise(const model::Graph& graph, const stretch::Flow& flow,
                                            const stretch::Cost& cost, std::size_t processors);

}  // namespace edgeprobe::placement
