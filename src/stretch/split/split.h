// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/result.h"
#include "stretch/plan.h"
#include "stretch/split/subject.h"

namespace edgeprobe::stretch {

/// The layers that a split is about, found in a model.
struct Matched {
  std::vector<int> layers;  ///< Ascending.
  int from = -1, to = -1;   ///< Tensors.
  std::int64_t size = 0;    ///< What the parts add up to: channels, or rows of `to`.
  std::int64_t step = 1;    ///< Parts are multiples of it, where that is possible.
  std::size_t axis = 1;     ///< Of what is shared out.
  /// By tensor: whether its channels are shared out.
  std::vector<bool> shared;
  int first = -1;   ///< The layer that shares channels out.
  int last = -1;    ///< kPair: the layer that brings them together.
  int behind = -1;  ///< kPair: a BatchNormalization that goes with `last`; -1: none.
  int added = -1;   ///< kPair: an Add of `from` behind them, a shortcut; -1: none.
  std::uint64_t macs = 0;
};

/// Layers, ascending, that compute one tensor of another one and of nothing else that depends on an
/// input. The errors of match().
Result<std::vector<int>> layers_between(const SplitSubject& subject, const std::string& from,
                                        const std::string& to);

/// The layers between the two tensors of a split, whatever its parts are. kUsage for tensors that
/// the model has not, or that have no layers between them; kUnsupported, with the first layer and
/// the reason, for layers that cannot be split that way.
Result<Matched> match(const SplitSubject& subject, const Split& split);
/// kUnsupported also for more layers than `most`.
Result<Matched> match(const SplitSubject& subject, Split::Kind kind, int from, int to,
                      std::size_t most = std::numeric_limits<std::size_t>::max());

/// kUsage for parts that do not add up, or do not begin where they may: at multiples of kStep
/// channels (the blocks that engines compute in), of groups, at any row.
Status check_parts(const Matched& matched, const Split& split);

/// Engines compute channels in blocks of so many: half a block takes as long as a whole one.
inline constexpr std::int64_t kStep = 16;

/// `size` in so many parts, as the shares have it, each a multiple of the step; nothing where one
/// would be empty.
std::vector<std::int64_t> parts_of(const Matched& matched, const std::vector<double>& shares);

}  // namespace edgeprobe::stretch
