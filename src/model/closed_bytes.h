// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "core/tensor.h"
#include "model/graph.h"

namespace edgeprobe::model {

/// Bytes of the values, with open dimensions counted as 1; nothing for a type without a size.
std::optional<std::size_t> closed_bytes(const TensorSpec& spec);
/// closed_bytes() of a model's tensor; also nothing if its shape is unknown.
std::optional<std::size_t> closed_bytes(const ModelTensor& tensor);

}  // namespace edgeprobe::model
