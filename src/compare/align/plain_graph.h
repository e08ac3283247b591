// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/align/weighted.h"

namespace edgeprobe::compare {

/// An operator without surrounding conversions; a dynamically quantised operator counts as one.
struct PlainNode {
  std::string_view kind;  ///< op_kind().
  std::size_t layer = 0;
  std::vector<int> reads;  ///< Its operands in slot order, without constants.
  std::vector<int> makes;
  bool weighted = false;
  /// An activation, batch norm, or product or sum with constants: converters fold it into the
  /// previous operator, or drop it.
  bool folded = false;
};

/// A graph of only the computing operators: skips QUANTIZE, DEQUANTIZE and the inside of
/// dynamically quantised operators.
class PlainGraph {
 public:
  explicit PlainGraph(const WeightedGraph& whole);

  const WeightedGraph& whole;
  const std::vector<PlainNode>& nodes() const { return nodes_; }
  /// The tensor at the start of a chain of conversions.
  int origin(int tensor) const;
  /// The node that makes a tensor; null for an input or a constant.
  const PlainNode* maker(int tensor) const;
  /// The nodes that read a tensor, with their positions in `reads`.
  const std::vector<std::pair<std::size_t, std::size_t>>& readers(int tensor) const;
  /// The folded node that is the only reader of a tensor; null if there is none, or the tensor is
  /// an output.
  const PlainNode* folded_behind(int tensor) const;
  const TensorSpec& spec(int tensor) const { return whole.at(tensor)->spec; }

 private:
  void add(const model::Layer& layer);

  std::map<int, int> through_;  // Maps a conversion's output to its input.
  std::vector<PlainNode> nodes_;
  std::map<int, std::size_t> maker_;
  std::map<int, std::vector<std::pair<std::size_t, std::size_t>>> readers_;
};

}  // namespace edgeprobe::compare
