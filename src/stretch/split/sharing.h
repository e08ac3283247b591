// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stretch/split/integers.h"
#include "stretch/split/subject.h"

namespace edgeprobe::stretch {

/// A layer that mixes all channels of its input: a convolution, Gemm or MatMul with stored weights.
struct Dense {
  std::size_t axis = 1;                ///< Axis of the channels in its input and output.
  bool integer = false;                ///< It computes with integers: its sums stay inside of it.
  std::int64_t channels = 0;           ///< Number of output channels.
  std::size_t bias = 0;                ///< Index of its bias input; 0: no bias.
  std::vector<CutConstant> by_output;  ///< Constants to cut for some output channels.
  CutConstant by_input;                ///< Its weights, cut for some input channels.
};

/// A layer whose channels each depend only on the same channel of its inputs.
struct Channelwise {
  std::vector<CutConstant> constants;
  std::int64_t step = 1;       ///< Channels that must stay together: those of a group.
  bool counts_groups = false;  ///< Its attribute "group" is its number of steps.
};

/// kUnsupported, with the reason, for another kind of layer.
Result<Dense> dense_of(const SplitSubject& subject, int layer);
/// `axis`: axis of the channels in its inputs and outputs; `channels`: their number; `shared`: for
/// each tensor, whether its channels are split.
Result<Channelwise> channelwise_of(const SplitSubject& subject, int layer, std::size_t axis,
                                   std::int64_t channels, const std::vector<bool>& shared);

/// True if each number of its output depends only on the same position of its inputs, or on
/// broadcast constants.
bool is_elementwise(const std::string& type);

}  // namespace edgeprobe::stretch
