// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/graph.h"

namespace edgeprobe::model {

/// By tensor: true for what only a QuantizeLinear uses, and for what a DequantizeLinear gives back.
/// ONNX writes an integer operator as DequantizeLinear, operator, QuantizeLinear; engines run the
/// three as one. The integers between two of them are what is computed; making one of the others an
/// output forbids that and changes the result (ONNX Runtime 1.31: up to 11 % of the outputs' norm).
std::vector<bool> within_integer_operators(const Graph& graph);

}  // namespace edgeprobe::model
