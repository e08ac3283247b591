// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/graph.h"

namespace edgeprobe::model {

/// What counting the work of an operator needs beside its shapes.
struct OpOptions {
  bool adjoint_x = false;  ///< BATCH_MATMUL: the first operand is transposed.
};

/// Multiply-accumulates of one run, open dimensions counted as 1. Convolutions, matrix products and
/// SVDF are counted, padding included as if it were data; ops that move, compare, pool or map
/// elements count 0; recurrent, control-flow and custom ops are unknown, as are shapes that do not
/// fit the operator.
std::optional<std::uint64_t> multiply_accumulates(const Layer& layer,
                                                  const std::vector<ModelTensor>& tensors,
                                                  const OpOptions& options);

/// The constant inputs of the layer that are weights or biases, by the operator's own signature:
/// paddings, axes, shapes and indices are not; neither is anything of a custom op.
std::vector<int> weights_of(const Layer& layer, const std::vector<ModelTensor>& tensors);

}  // namespace edgeprobe::model
