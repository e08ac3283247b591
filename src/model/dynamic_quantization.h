// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/graph.h"

/// ONNX writes an operator that is quantised while it runs as several: DynamicQuantizeLinear finds
/// scale and codes of what it reads, ConvInteger or MatMulInteger multiplies codes, Cast, Mul by
/// both scales and an Add of the bias give real numbers back.
namespace edgeprobe::model {

/// One such operator, from its real input to its real output.
struct DynamicOperator {
  int layer = -1;                ///< The ConvInteger or MatMulInteger.
  int last = -1;                 ///< The layer that makes `output`.
  int input = -1, output = -1;   ///< Tensors.
  int weights = -1, scale = -1;  ///< Constants: the weights' codes and what one of them stands for.
  int bias = -1;                 ///< A constant; -1: none.
  /// Tensors between the two: codes, what was not scaled yet, and scales.
  std::vector<int> inner;
};

/// Those whose weights and their scale are constants and whose other tensors nothing else reads, in
/// the order of the graph.
std::vector<DynamicOperator> dynamic_operators(const Graph& graph);

/// Whether a part of the model is quantised while it runs: such scales stand in no file.
bool quantises_while_it_runs(const Graph& graph);

}  // namespace edgeprobe::model
