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

/// The layers of a split, found in a model.
struct Matched {
  std::vector<int> layers;  ///< Ascending indices.
  int from = -1, to = -1;   ///< Indices of tensors.
  std::int64_t size = 0;    ///< Sum of the parts: channels, or rows of `to`.
  std::int64_t step = 1;    ///< Parts are multiples of it, if possible.
  std::size_t axis = 1;     ///< Axis that is split.
  /// By tensor: whether its channels are split.
  std::vector<bool> shared;
  /// DequantizeLinear of `from`: each part has its own; they stay for other readers.
  std::vector<int> openings;
  int first = -1;   ///< The layer that splits the channels.
  int last = -1;    ///< kPair: the layer that combines them.
  int behind = -1;  ///< kPair: a BatchNormalization merged into `last`; -1: none.
  int added = -1;   ///< kPair: an Add of `from` after them, a shortcut; -1: none.
  std::uint64_t macs = 0;
};

/// Layers, ascending, that compute one tensor from another and from nothing else that depends on an
/// input. Errors as in match().
Result<std::vector<int>> layers_between(const SplitSubject& subject, const std::string& from,
                                        const std::string& to);

/// The layers between the two tensors of a split, for any parts. kUsage for tensors that the model
/// lacks, or without layers between them; kUnsupported, with the first layer and the reason, for
/// layers that cannot be split this way.
Result<Matched> match(const SplitSubject& subject, const Split& split);
/// kUnsupported also for more layers than `most`.
Result<Matched> match(const SplitSubject& subject, Split::Kind kind, int from, int to,
                      std::size_t most = std::numeric_limits<std::size_t>::max());

/// kUnsupported if `from` or `to` is inside of an operator that engines compute with integers,
/// between its DequantizeLinear and its QuantizeLinear: they would compute it with floating-point
/// numbers instead. match() of a Split has checked it.
Status check_ends(const SplitSubject& subject, const Matched& matched);

/// kUsage for parts that do not add up, or do not begin at allowed positions: multiples of kStep
/// channels (the blocks that engines compute in), multiples of groups, or any row.
Status check_parts(const Matched& matched, const Split& split);

/// Engines compute channels in blocks of this size: half a block takes as long as a whole one.
inline constexpr std::int64_t kStep = 16;

/// Divides `size` in proportion to the shares, each part a multiple of the step; empty if one would
/// be empty.
std::vector<std::int64_t> parts_of(const Matched& matched, const std::vector<double>& shares);

}  // namespace edgeprobe::stretch
