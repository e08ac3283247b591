// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/graph.h"

namespace edgeprobe::model {

/// What counting an operator's work needs besides its shapes.
struct OpOptions {
  bool adjoint_x = false;  ///< BATCH_MATMUL: the first operand is transposed.
};

/// Multiply-accumulates of one run, with open dimensions counted as 1. Counts convolutions, matrix
/// products and SVDF, with padding as if it were data; ops that move, compare, pool or map elements
/// count as 0; recurrent, control-flow and custom ops are unknown, as are shapes that do not suit
/// the operator.
std::optional<std::uint64_t> multiply_accumulates(const Layer& layer,
                                                  const std::vector<ModelTensor>& tensors,
                                                  const OpOptions& options);

/// The layer's constant inputs that are weights or biases according to the operator's signature:
/// not paddings, axes, shapes and indices, and nothing of a custom op.
std::vector<int> weights_of(const Layer& layer, const std::vector<ModelTensor>& tensors);

}  // namespace edgeprobe::model
