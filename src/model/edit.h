// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::model {

/// Overwrites the stored bytes of a constant in place. Other constants that share its buffer change
/// too. kUsage if the tensor is not a constant or the length differs, kUnsupported if its values
/// are not plain bytes of the file.
Status set_constant(const Graph& graph, Bytes& file, int tensor, ByteView values);

/// Gives a computed, per-tensor quantised tensor another scale and zero point, in place, so that
/// the rest of the graph still computes the same real values: tensors that share its scale through
/// a layer that only moves values (RESHAPE, pools, PAD, …) get the same, and int32 biases added to
/// products of it are rescaled. The layer that computes it is not checked: in a whole model, its
/// output must not be tied to its input. In an ONNX file the QuantizeLinear, DequantizeLinear and
/// QLinear operators at the tensor are changed; constants after them may move in the file.
/// kUnsupported if a tied layer joins several tensors, a bias would leave its range, an integer
/// operator at it takes codes of any scale, or the file shares it or its parameters with another
/// layer or tensor; `file` is then undefined.
Status set_scale(const Graph& graph, Bytes& file, int tensor, float scale, std::int64_t zero_point);

/// Gives a layer with int8 weights and an int32 bias these real values as its bias, in place, in
/// the kernels' steps: input scale times weight scale. If that exceeds 32 bits, as in channels
/// whose weights are nearly 0, the scale of the channel's weights is raised and they are rounded
/// again. kUnsupported for other layers, and if values or parameters are shared.
Status set_bias(const Graph& graph, Bytes& file, int layer, const std::vector<float>& bias);

/// Makes a layer's quantised inputs and outputs real numbers, in place; other layers that use them
/// no longer match. kUnsupported if one of them is a constant, or not quantised per tensor.
Status set_real(const Graph& graph, Bytes& file, int layer);

}  // namespace edgeprobe::model
