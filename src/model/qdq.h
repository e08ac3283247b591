// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/graph.h"

/// ONNX writes an integer operator as DequantizeLinear, operator, QuantizeLinear; engines run the
/// three as one. The integers between two of them are what is computed.
namespace edgeprobe::model {

/// By tensor: true for what only a QuantizeLinear uses, and for what a DequantizeLinear gives back.
/// Making one of these an output forbids the three to run as one and changes the result (ONNX
/// Runtime 1.31: up to 11 % of the outputs' norm).
std::vector<bool> within_integer_operators(const Graph& graph);

/// By tensor: the integers that stand for it, behind the QuantizeLinear that alone uses it or in
/// front of the DequantizeLinear that gives it back; the tensor itself where there are none.
std::vector<int> stored_forms(const Graph& graph);

/// By tensor: the layer whose result it is, which is the one in front of a QuantizeLinear that
/// alone uses what it makes; -1 for inputs and constants.
std::vector<int> result_layers(const Graph& graph);

/// By layer: true for a QuantizeLinear that belongs to another operator, and for a
/// DequantizeLinear, which belongs to what reads it.
std::vector<bool> parts_of_operators(const Graph& graph);

}  // namespace edgeprobe::model
