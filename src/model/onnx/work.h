// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph.h"
#include "model/onnx/proto.h"

namespace edgeprobe::model::onnx {

/// As model::multiply_accumulates(), for ONNX operators: convolutions and matrix products count;
/// recurrent ones, attention, control flow, functions and operators of unknown sets are unknown;
/// all others count 0.
std::optional<std::uint64_t> multiply_accumulates(const Layer& layer, const Node& node,
                                                  const std::vector<ModelTensor>& tensors);

/// Gives each layer its weights: the constant inputs that are weights or biases, by the operator's
/// own signature. Scales, zero points, shapes and axes are none. A constant in another shape or
/// order (Reshape, Transpose) is still the one that it was. What a DequantizeLinear restores from a
/// constant belongs to the layer that takes it, or to the DequantizeLinear where none takes it as a
/// weight.
void find_weights(std::vector<Layer>& layers, const std::vector<ModelTensor>& tensors);

}  // namespace edgeprobe::model::onnx
