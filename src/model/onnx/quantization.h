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
/// The slots of a QuantizeLinear, a DequantizeLinear, and operators that compute in integers and
/// have scales themselves (QLinearConv, com.microsoft:QLinearAdd, …); empty for others.
std::vector<QuantizedSlot> quantized_slots(const Layer& layer);
/// The input that is an int32 bias in steps of input scale times weight scale; by Layer::type.
std::optional<std::size_t> bias_slot(std::string_view type);

/// True if the operator's output values are a selection of its first input's, so that both can have
/// the same scale.
bool only_moves(std::string_view type);

/// Gives the integer tensors of `graph` the scales and zero points in the constants of adjacent
/// operators (QuantizeLinear, DequantizeLinear, QLinearConv, QLinearMatMul and com.microsoft's),
/// and passes them through operators that only move values. `nodes[i]` is the node of layer i.
/// Unreadable parameters (blocks, scales that do not match the shape) are listed in the graph's
/// warnings, as are scales that are not positive.
void read_quantization(WireReader& reader, const std::vector<const Node*>& nodes,
                       model::Graph& graph);

}  // namespace edgeprobe::model::onnx
