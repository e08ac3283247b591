// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/graph.h"

/// ONNX represents an integer operator as DequantizeLinear, operator, QuantizeLinear; engines run
/// the three as one. The computed values are the integers between two such groups.
namespace edgeprobe::model {

/// By tensor: true for tensors used only by a QuantizeLinear, and for results of a
/// DequantizeLinear. Making one of these an output prevents running the three as one and changes
/// the result (ONNX Runtime 1.31: up to 11 % of the outputs' norm).
std::vector<bool> within_integer_operators(const Graph& graph);

/// By tensor: the integers that represent it, after the QuantizeLinear that is its only reader or
/// before the DequantizeLinear that restores it; the tensor itself if there are none.
std::vector<int> stored_forms(const Graph& graph);

/// By tensor: the layer whose result it is; for a QuantizeLinear that is the only reader of a
/// layer's output, that layer; -1 for inputs and constants.
std::vector<int> result_layers(const Graph& graph);

/// By layer: true for a QuantizeLinear that belongs to another operator, and for a
/// DequantizeLinear, which belongs to its readers.
std::vector<bool> parts_of_operators(const Graph& graph);

}  // namespace edgeprobe::model
