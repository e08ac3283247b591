// SPDX-License-Identifier: Apache-2.0
#include "model/graph.h"

#include <limits>
#include <vector>

namespace edgeprobe::model {

std::uint64_t Graph::macs() const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t sum = 0;
  for (const Layer& layer : layers) {
    const std::uint64_t more = layer.macs.value_or(0);
    sum = more > kMost - sum ? kMost : sum + more;
  }
  return sum;
}

std::uint64_t Graph::parameters() const {
  std::vector<bool> counted(tensors.size());
  std::uint64_t sum = 0;
  for (const Layer& layer : layers)
    for (const int weight : layer.weights) {
      const auto index = static_cast<std::size_t>(weight);
      if (!counted[index]) sum += element_count(tensors[index].spec.shape).value_or(0);
      counted[index] = true;
    }
  return sum;
}

}  // namespace edgeprobe::model
