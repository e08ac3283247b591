// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "model/graph.h"
#include "model/onnx/proto.h"

namespace edgeprobe::model::onnx {

/// Whether the values of the operator's output are some of its first input's, so that both can have
/// one scale.
bool only_moves(std::string_view type);

/// Gives the integer tensors of `graph` the scales and zero points that the operators at them hold
/// as constants (QuantizeLinear, DequantizeLinear, QLinearConv, QLinearMatMul and com.microsoft's),
/// and carries them over operators that only move values. `nodes[i]` is the node of layer i. What
/// is not read (blocks, scales that do not fit the shape) goes to the graph's warnings, as do
/// scales that are no positive numbers.
void read_quantization(WireReader& reader, const std::vector<const Node*>& nodes,
                       model::Graph& graph);

}  // namespace edgeprobe::model::onnx
