// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "compare/align/weighted.h"

namespace edgeprobe::compare {

/// How alike the stored weights of layers of two graphs are. Each constant is read once, and each
/// pair compared once.
class LikeWeights {
 public:
  LikeWeights(const WeightedGraph& reference, const WeightedGraph& target)
      : reference_(reference), target_(target) {}

  /// Cosine of the weights of two layers, the target's in the reference's order; nothing where they
  /// are of two kinds or shapes, or cannot be read. Of large weights, of scattered values.
  std::optional<double> cosine(std::size_t reference, std::size_t target);

  /// From here on weights are one set in two forms: 4 bits and folded scales stay above, layers
  /// that were trained apart near 0.
  static constexpr double kAlike = 0.9;

 private:
  std::optional<double> computed(std::size_t reference, std::size_t target);
  const std::vector<float>& values(const WeightedGraph& side, std::size_t layer,
                                   const std::vector<int>& order);

  const WeightedGraph &reference_, &target_;
  using Key = std::tuple<const WeightedGraph*, std::size_t, std::vector<int>>;
  std::map<Key, std::vector<float>> known_;
  std::map<std::pair<std::size_t, std::size_t>, std::optional<double>> cosines_;
};

}  // namespace edgeprobe::compare
