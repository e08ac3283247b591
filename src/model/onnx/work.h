// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph.h"
#include "model/onnx/proto.h"

namespace edgeprobe::model::onnx {

/// Like model::multiply_accumulates(), for ONNX operators: convolutions and matrix products are
/// counted; recurrent ones, attention, control flow, functions and operators of unknown sets are
/// unknown; all others count as 0.
std::optional<std::uint64_t> multiply_accumulates(const Layer& layer, const Node& node,
                                                  const std::vector<ModelTensor>& tensors);

/// Finds each layer's weights: the constant inputs that are weights or biases according to the
/// operator's signature, but not scales, zero points, shapes and axes. A constant in another shape
/// or order (Reshape, Transpose) still counts as the original. A tensor that a DequantizeLinear
/// restores from a constant belongs to the layer that reads it as a weight, else to the
/// DequantizeLinear.
void find_weights(std::vector<Layer>& layers, const std::vector<ModelTensor>& tensors);

}  // namespace edgeprobe::model::onnx
