// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace edgeprobe::compare {

/// Weights as outputs x inputs x window elements, in any order common to both sides.
struct ChannelBlocks {
  std::size_t outputs = 1, inputs = 1, elements = 1;
  /// Distances between the first elements of blocks, and between a block's elements.
  std::size_t output_stride = 1, input_stride = 1, element_stride = 1;
};

/// True if `target` equals `reference` with each output and input channel scaled by a positive
/// number, as equalisation across layers does, or with channels reordered.
bool are_moved_channels(const ChannelBlocks& blocks, const std::vector<float>& reference,
                        const std::vector<float>& target);

}  // namespace edgeprobe::compare
