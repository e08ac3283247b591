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

/// Similarity of the stored weights of layers in two graphs. Reads each constant once, and compares
/// each pair once.
class LikeWeights {
 public:
  LikeWeights(const WeightedGraph& reference, const WeightedGraph& target)
      : reference_(reference), target_(target) {}

  /// Cosine of two layers' weights, the target's in the reference's order; nothing if their kinds
  /// or shapes differ, or they cannot be read. Uses scattered values of large weights.
  std::optional<double> cosine(std::size_t reference, std::size_t target);

  /// From this cosine on, weights are one set in two forms: with 4 bits and folded scales it is
  /// still higher; for separately trained layers it is near 0.
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
