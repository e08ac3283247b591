// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/tensor.h"
#include "layers/replay/fragment.h"
#include "model/attributes.h"

namespace edgeprobe::layers {

/// True if exact_codes() can compute an operator's codes.
bool has_exact_codes(const model::Layer& op);

/// The output codes of an integer operator for these inputs, by tensor, in real arithmetic, rounded
/// to the nearest: for operators that rescale, add, subtract or multiply codes elementwise. Nothing
/// for other operators, for inputs of different shapes, and if the file has no scale for a tensor.
/// Uses no engine, so that the host's kernel can be checked before it convicts another.
std::optional<std::vector<float>> exact_codes(const ModelFile& model, int layer,
                                              const model::Attributes& attributes,
                                              const std::map<int, Tensor>& inputs);

}  // namespace edgeprobe::layers
