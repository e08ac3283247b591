// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::model {

/// Overwrites the stored bytes of a constant, in place. Other constants that share its buffer
/// change with it. kUsage when the tensor is no constant or the length differs, kUnsupported when
/// its values are not plain bytes of the file.
Status set_constant(const Graph& graph, Bytes& file, int tensor, ByteView values);

/// Gives a computed tensor that is quantised as a whole another scale and zero point, in place, so
/// that the rest of the graph still computes the same real values: tensors that share its scale
/// through a layer that only moves values (RESHAPE, pools, PAD, …) get the same, and int32 biases
/// that are added to products of it are rescaled. The layer that makes it is not looked at: in a
/// whole model, its output must not be tied to its input. In an ONNX file the QuantizeLinear, the
/// DequantizeLinear and the QLinear operators at the tensor get them; constants behind them may
/// move in the file. kUnsupported when a tied layer joins several tensors, a bias would leave its
/// range, an integer operator at it takes codes of any scale, or the file shares it or the
/// parameters with another layer or tensor; `file` is then undefined.
Status set_scale(const Graph& graph, Bytes& file, int tensor, float scale, std::int64_t zero_point);

/// Gives a layer with int8 weights and an int32 bias these real values as its bias, in place, in
/// the steps that kernels add it in: input scale times weight scale. Where that passes 32 bits, as
/// in channels whose weights are nearly 0, the scale of the channel's weights is raised and they
/// are rounded anew. kUnsupported for other layers, and when values or parameters are shared.
Status set_bias(const Graph& graph, Bytes& file, int layer, const std::vector<float>& bias);

/// Makes the quantised tensors that a layer reads and makes real numbers, in place; all other
/// layers that know them no longer fit. kUnsupported when one of them is a constant, or not
/// quantised as a whole.
Status set_real(const Graph& graph, Bytes& file, int layer);

}  // namespace edgeprobe::model
