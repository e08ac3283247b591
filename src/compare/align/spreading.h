// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "compare/align/like_weights.h"
#include "compare/align/plain_graph.h"

namespace edgeprobe::compare {

/// Spreads partners along two graphs from known pairs; see pairs_by_graph().
class Spreading {
 public:
  Spreading(const PlainGraph& reference, const PlainGraph& target, LikeWeights& weights)
      : r_(reference), t_(target), weights_(weights) {}

  /// Pairs two tensors unless one has a partner or their shapes cannot be compared.
  void pair(int r, int t);
  /// Pairs inputs and outputs by name, then those with a unique shape; defers the others.
  void pair_ends();
  void run();

  const std::map<int, int>& partners() const { return partner_; }
  const std::map<std::size_t, std::size_t>& layers() const { return layers_; }
  /// True if two paired operators read their partners in another order.
  bool crosses() const;

 private:
  void spread();
  // Pairs the operators that make two partners, skipping activations and scales that one side may
  // fuse.
  void join_makers(int r, int t);
  // Pairs readers that are the only ones of a kind in the same slot.
  void join_readers(int r, int t);
  void join(const PlainNode& r, const PlainNode& t);
  // Pairs the results of operators, including an activation and scales that the other side fuses.
  void pair_made(int r, int t);
  std::pair<std::vector<int>, std::vector<int>> left(const PlainNode& r, const PlainNode& t) const;
  // Pairs the last two terms of a sum, and terms that differ by their operator.
  bool pair_sums();
  bool made_alike(int r, int t) const;
  // Pairs layers whose weights are by far each other's nearest.
  bool pair_by_weights();
  // Last resort: pairs one sum, one Concat or one end at a time by position.
  bool pair_by_place();

  const PlainGraph &r_, &t_;
  LikeWeights& weights_;
  std::map<int, int> partner_;
  std::set<int> taken_;
  std::deque<std::pair<int, int>> fresh_;
  std::set<const PlainNode*> nodes_r_, nodes_t_;
  std::vector<std::pair<const PlainNode*, const PlainNode*>> joined_, sums_;
  std::map<std::size_t, std::size_t> layers_;
  std::vector<std::pair<int, int>> by_place_;
};

}  // namespace edgeprobe::compare
