#pragma once

#include "model/graph.h"
#include "model/onnx_proto.h"

namespace edgeprobe::model::onnx {

/// As model::multiply_accumulates(), for ONNX operators: convolutions and matrix products count; recurrent ones, attention,
/// control flow, functions and operators of unknown sets are unknown; all others count 0.
std::optional<std::uint64_t> multiply_accumulates(const Layer& layer, const Node& node, const std::vector<ModelTensor>& tensors);

/// The constant inputs of the layer that are weights or biases, by the operator's own signature. Scales, zero points, shapes
/// and axes are none; the stored form of a weight that a DequantizeLinear restores is one.
std::vector<int> weights_of(const Layer& layer, const std::vector<ModelTensor>& tensors);

}  // namespace edgeprobe::model::onnx
