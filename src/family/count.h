// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "family/network.h"

namespace edgeprobe::family {

/// Work of one inference. Parameters are the trained ones; MACs are multiply-accumulates of
/// convolutions and the linear layer, without additions of biases. Doubles count exactly to 2^53.
struct Count {
  double parameters = 0, macs = 0;
};
Count count_of(const Layer& layer);
Count count_of(const Network& network);

/// Layers of one stage and branch in a row.
struct Section {
  std::size_t stage = 0;  ///< 0: the stem; the last one: the head.
  int branch = 0;
  std::size_t processor = 0;
  std::vector<int> layers;
  Count count;
  std::int64_t channels = 0, height = 0, width = 0;  ///< Of its last layer.
  /// Pixels of a side of the picture that a value of its last layer depends on, without the pools
  /// of squeeze-excites and the head, which see all of it.
  std::int64_t field = 0;
};
/// In the order of the layers; joins are not sections.
std::vector<Section> sections_of(const Network& network);

/// MACs of the longest way: of each stage only the largest branch.
double longest_way(const std::vector<Section>& sections);

/// The counts as JSON: whole network, stages and branches.
std::string counts_json(const Network& network);

}  // namespace edgeprobe::family
