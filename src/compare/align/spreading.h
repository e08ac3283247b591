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

/// Partners that spread along two graphs from pairs that are known: pairs_by_graph() says how.
class Spreading {
 public:
  Spreading(const PlainGraph& reference, const PlainGraph& target, LikeWeights& weights)
      : r_(reference), t_(target), weights_(weights) {}

  /// Two tensors belong together, unless one has a partner or the shapes cannot be compared.
  void pair(int r, int t);
  /// Inputs and outputs by their names, and the only ones of a shape; the rest of them waits.
  void pair_ends();
  void run();

  const std::map<int, int>& partners() const { return partner_; }
  const std::map<std::size_t, std::size_t>& layers() const { return layers_; }
  /// Whether two operators that belong together read partners in another order.
  bool crosses() const;

 private:
  void spread();
  // The operators that make two partners, before activations and scales that one side may hold in
  // the operator.
  void join_makers(int r, int t);
  // The only one of a kind that reads them, in the same slot.
  void join_readers(int r, int t);
  void join(const PlainNode& r, const PlainNode& t);
  // The result of an operator, with the activation and the scales that the other side holds inside.
  void pair_made(int r, int t);
  std::pair<std::vector<int>, std::vector<int>> left(const PlainNode& r, const PlainNode& t) const;
  // The last two terms, and terms that their operator tells apart.
  bool pair_sums();
  bool made_alike(int r, int t) const;
  // Layers whose weights are each other's nearest by far.
  bool pair_by_weights();
  // Nothing else tells them apart: one sum, one Concat or one end at a time.
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
