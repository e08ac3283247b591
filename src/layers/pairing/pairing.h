// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare/align/align.h"
#include "compare/align/by_graph.h"
#include "layers/pairing/values.h"
#include "model/graph.h"
#include "trace/read/reader.h"

namespace edgeprobe::layers {

/// One operator in both graphs.
struct OpPair {
  int reference_layer = -1, target_layer = -1;  ///< -1 for the target: its file is not at hand.
  int reference = -1, target = -1;              ///< The output tensors that are compared.
  /// The reference's operator that the target's layer stands for: reference_layer, unless the
  /// target has put that one, an activation or a batch norm, into the operator in front of it.
  int counterpart = -1;
};

/// Which tensors of two graphs are the same. QUANTIZE and DEQUANTIZE are looked through: a pair
/// names the tensors that the operators themselves make.
struct Pairing {
  std::vector<OpPair> ops;  ///< In the execution order of the reference.
  /// Target's tensor by the reference's, inputs of the graphs included.
  std::map<int, int> target_of;
  compare::Mapping mapping;  ///< Names that the caller paired; pairs of constants keep to it.
  /// By the target's tensor: the axis that holds each axis of the reference's
  /// (layers/capture/order.h); none: both lie alike in memory.
  std::map<int, std::vector<int>> orders;
  const std::vector<int>& order_of(int target) const;
  /// Operators of the side that has fewer, QUANTIZE and DEQUANTIZE left out.
  std::size_t operators = 0;
  /// Too few operators have a partner to name one of them as a cause.
  bool is_poor() const { return 2 * ops.size() < operators; }
};

/// The tensor that a chain of QUANTIZE and DEQUANTIZE starts from: `tensor` itself when no such
/// layer makes it. Of an operator that ONNX writes as DequantizeLinear, operator, QuantizeLinear
/// the integers behind it.
int origin(const model::Graph& graph, int tensor);
/// Of all tensors, in the time that one takes.
std::vector<int> origins(const model::Graph& graph);

/// Whether some tensor of the model is quantised: activations, or weights alone, whose kernels
/// round the activations while they run.
bool rounds_to_codes(const model::Graph& graph);

/// Name of a layer's first output; empty when it has none.
std::string output_name(const model::Graph& graph, int layer);

/// The layer that makes each tensor; -1: none.
std::vector<int> makers(const model::Graph& graph);

/// With the values of both sides on the same inputs files of two formats are paired by what they
/// compute, also where the channels lie in another place; without them such tensors are no
/// partners. `by_graph`: pairs by the graphs and the stored weights.
Pairing pair_up(const model::Graph& reference, const model::Graph& target,
                const Values* reference_values = nullptr, const Values* target_values = nullptr,
                const compare::GraphPairs* by_graph = nullptr);

/// The target as its trace shows it: tensor `i` is channels[i]. For a target whose model file is
/// not at hand.
Pairing pair_up(const model::Graph& reference,
                const std::vector<const trace::ReadChannel*>& channels);

/// The channels of a trace by tensor of the graph that was recorded: by declared index, else by
/// name, else by position and type of the layer.
std::map<int, const trace::ReadChannel*> channels_of(const trace::Reader& reader,
                                                     const model::Graph& graph);

}  // namespace edgeprobe::layers
