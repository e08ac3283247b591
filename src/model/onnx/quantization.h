// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "model/graph.h"
#include "model/onnx/proto.h"

namespace edgeprobe::model::onnx {

/// A quantised tensor of an operator, and the inputs that hold its parameters.
struct QuantizedSlot {
  bool is_output = false;
  std::size_t tensor = 0, scale = 0, zero_point = 0;
};
/// Those of a QuantizeLinear, a DequantizeLinear, and of operators that compute in integers and
/// hold scales themselves (QLinearConv, com.microsoft:QLinearAdd, …); empty for others.
std::vector<QuantizedSlot> quantized_slots(const Layer& layer);
/// The input that is an int32 bias in steps of input scale times weight scale; by Layer::type.
std::optional<std::size_t> bias_slot(std::string_view type);

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
