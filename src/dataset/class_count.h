// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/tensor.h"

namespace edgeprobe::dataset {

/// Classes that the largest of a model's outputs can tell apart; 0 without class numbers: an output
/// with an open dimension, or one value alone.
std::size_t class_count(const std::vector<TensorSpec>& outputs);

}  // namespace edgeprobe::dataset
