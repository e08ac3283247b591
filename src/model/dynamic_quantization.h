// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/graph.h"

/// ONNX represents a dynamically quantised operator by several nodes: DynamicQuantizeLinear
/// computes scale and codes of the input, ConvInteger or MatMulInteger multiplies codes; Cast, Mul
/// by both scales and an Add of the bias convert back to real numbers.
namespace edgeprobe::model {

/// A dynamically quantised operator, from its real input to its real output.
struct DynamicOperator {
  int layer = -1;                ///< The ConvInteger or MatMulInteger.
  int last = -1;                 ///< The layer that computes `output`.
  int input = -1, output = -1;   ///< Tensor indices.
  int weights = -1, scale = -1;  ///< Constants: the codes of the weights and their scale.
  int bias = -1;                 ///< A constant; -1: none.
  /// Tensors between input and output: codes, unscaled products, and scales.
  std::vector<int> inner;
};

/// The dynamically quantised operators with constant weights and weight scales whose inner tensors
/// have no other readers, in graph order.
std::vector<DynamicOperator> dynamic_operators(const Graph& graph);

/// True if part of the model is quantised dynamically: such scales are not in the file.
bool quantises_while_it_runs(const Graph& graph);

}  // namespace edgeprobe::model
