// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace edgeprobe::compare {

/// Weights as outputs x inputs x elements of a window, in any order that keeps both sides alike.
struct ChannelBlocks {
  std::size_t outputs = 1, inputs = 1, elements = 1;
  /// Place of the first element of a block, and the distance between its elements.
  std::size_t output_stride = 1, input_stride = 1, element_stride = 1;
};

/// Whether `target` is `reference` with each output and each input channel times a positive number,
/// as equalisation over layers leaves it, or with channels in another order.
bool are_moved_channels(const ChannelBlocks& blocks, const std::vector<float>& reference,
                        const std::vector<float>& target);

}  // namespace edgeprobe::compare
