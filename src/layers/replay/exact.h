// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/tensor.h"
#include "layers/replay/fragment.h"
#include "model/attributes.h"

namespace edgeprobe::layers {

/// Whether an operator is one whose codes exact_codes() knows.
bool has_exact_codes(const model::Layer& op);

/// The codes that an integer operator makes of these inputs, by tensor, in real arithmetic, rounded
/// to the nearest: of one that rescales, adds, subtracts or multiplies codes place by place.
/// Nothing for other operators, for inputs of several shapes, and where the file gives a tensor no
/// scale. No engine takes part, so that the host's kernel can be checked before it convicts
/// another.
std::optional<std::vector<float>> exact_codes(const ModelFile& model, int layer,
                                              const model::Attributes& attributes,
                                              const std::map<int, Tensor>& inputs);

}  // namespace edgeprobe::layers
