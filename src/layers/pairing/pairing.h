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
  int reference_layer = -1, target_layer = -1;  ///< -1 for the target if its file is not available.
  int reference = -1, target = -1;              ///< The output tensors to compare.
  /// The reference's operator that corresponds to the target's layer: reference_layer, unless the
  /// target has folded that one, an activation or a batch norm, into the preceding operator.
  int counterpart = -1;
};

/// Corresponding tensors of two graphs. QUANTIZE and DEQUANTIZE are skipped: a pair has the tensors
/// that the operators themselves compute.
struct Pairing {
  std::vector<OpPair> ops;  ///< In the execution order of the reference.
  /// Target's tensor by the reference's, including graph inputs.
  std::map<int, int> target_of;
  compare::Mapping mapping;  ///< Names paired by the caller; pairs of constants follow them.
  /// For each target tensor: its axis for each axis of the reference's tensor
  /// (layers/capture/order.h). Without an entry, both have the same memory order.
  std::map<int, std::vector<int>> orders;
  const std::vector<int>& order_of(int target) const;
  /// Number of operators on the side that has fewer, without QUANTIZE and DEQUANTIZE.
  std::size_t operators = 0;
  /// Too few operators have a partner to name one of them as a cause.
  bool is_poor() const { return 2 * ops.size() < operators; }
};

/// The tensor at the start of a chain of QUANTIZE and DEQUANTIZE: `tensor` itself if no such layer
/// computes it. For an operator that ONNX writes as DequantizeLinear, operator, QuantizeLinear, the
/// integers after it.
int origin(const model::Graph& graph, int tensor);
/// origin() of all tensors, in the time of a single one.
std::vector<int> origins(const model::Graph& graph);

/// True if some tensor of the model is quantised: activations, or only weights, whose kernels round
/// the activations at run time.
bool rounds_to_codes(const model::Graph& graph);

/// Name of a layer's first output; empty if it has none.
std::string output_name(const model::Graph& graph, int layer);

/// The layer that computes each tensor; -1: none.
std::vector<int> makers(const model::Graph& graph);

/// Pairs the tensors of two models. If both sides' values on the same inputs are given, files of
/// two formats are paired by these values, even if their channels are on different axes; without
/// values such tensors have no partners. `by_graph`: pairs by the graphs and the stored weights.
Pairing pair_up(const model::Graph& reference, const model::Graph& target,
                const Values* reference_values = nullptr, const Values* target_values = nullptr,
                const compare::GraphPairs* by_graph = nullptr);

/// Pairs with a target whose model file is not available, as recorded in its trace: tensor `i` is
/// channels[i].
Pairing pair_up(const model::Graph& reference,
                const std::vector<const trace::ReadChannel*>& channels);

/// The channels of a trace by tensor of the recorded graph: by declared index, else by name, else
/// by position and type of the layer.
std::map<int, const trace::ReadChannel*> channels_of(const trace::Reader& reader,
                                                     const model::Graph& graph);

}  // namespace edgeprobe::layers
