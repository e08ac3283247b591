// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/tensor.h"

namespace edgeprobe::compare {

/// Number of frames in which the top classes of `a` and `b` differ; both hold one output per frame.
/// 0 unless `a` holds class probabilities in every frame and the changed frames exceed the allowed
/// number (task::answer_floor()).
std::size_t changed_classes(const std::vector<const Tensor*>& a,
                            const std::vector<const Tensor*>& b);

}  // namespace edgeprobe::compare
