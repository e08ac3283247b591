// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/align/weighted.h"

namespace edgeprobe::compare {

/// An operator without the conversions around it; one that is quantised while it runs is one.
struct PlainNode {
  std::string_view kind;  ///< op_kind().
  std::size_t layer = 0;
  std::vector<int> reads;  ///< Its operands in the order of the slots, without constants.
  std::vector<int> makes;
  bool weighted = false;
  /// An activation, a batch norm, a product or sum with constants: converters put it into the
  /// operator in front of it, or leave it out.
  bool folded = false;
};

/// A graph as its operators compute it: QUANTIZE, DEQUANTIZE and what stands inside an operator
/// that is quantised while it runs are looked through.
class PlainGraph {
 public:
  explicit PlainGraph(const WeightedGraph& whole);

  const WeightedGraph& whole;
  const std::vector<PlainNode>& nodes() const { return nodes_; }
  /// The tensor that a chain of conversions starts from.
  int origin(int tensor) const;
  /// The node that makes a tensor and its place among what that makes; null: an input, a constant.
  const PlainNode* maker(int tensor) const;
  /// The nodes that read a tensor, and the places in `reads`.
  const std::vector<std::pair<std::size_t, std::size_t>>& readers(int tensor) const;
  /// The folded node that is the only reader of a tensor; null: there is none, or it is an output.
  const PlainNode* folded_behind(int tensor) const;
  const TensorSpec& spec(int tensor) const { return whole.at(tensor)->spec; }

 private:
  void add(const model::Layer& layer);

  std::map<int, int> through_;  // By the output of a conversion: its input.
  std::vector<PlainNode> nodes_;
  std::map<int, std::size_t> maker_;
  std::map<int, std::vector<std::pair<std::size_t, std::size_t>>> readers_;
};

}  // namespace edgeprobe::compare
