// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stretch/split/subject.h"

namespace edgeprobe::stretch {

/// A constant input of a layer, and the dimension that is cut with the channels.
struct CutConstant {
  std::size_t input = 0, axis = 0;
};

/// A layer that mixes all channels of its input: a convolution, Gemm or MatMul with stored weights.
struct Dense {
  std::size_t axis = 1;                ///< Of the channels in what it reads and makes.
  std::int64_t channels = 0;           ///< That it makes.
  std::size_t bias = 0;                ///< Its input; 0: it has none.
  std::vector<CutConstant> by_output;  ///< To make some channels only.
  CutConstant by_input;                ///< Its weights, to read some channels only.
};

/// A layer each of whose channels is made of the same channel of its inputs.
struct Channelwise {
  std::vector<CutConstant> constants;
  std::int64_t step = 1;       ///< Channels that cannot be parted: those of a group.
  bool counts_groups = false;  ///< Its attribute "group" is the number of its steps.
};

/// kUnsupported, with the reason, for a layer of another kind.
Result<Dense> dense_of(const SplitSubject& subject, int layer);
/// `axis` is where channels lie in what it reads and makes, `channels` how many, `shared` says of
/// each tensor whether its channels are shared out.
Result<Channelwise> channelwise_of(const SplitSubject& subject, int layer, std::size_t axis,
                                   std::int64_t channels, const std::vector<bool>& shared);

/// "" or, for operators on stored integers, why they are not split.
std::string integer_reason(const SplitSubject& subject, int layer);

/// Whether each number of its output is computed of the numbers at the same place of its inputs, or
/// of constants that are spread over them.
bool is_elementwise(const std::string& type);

}  // namespace edgeprobe::stretch
