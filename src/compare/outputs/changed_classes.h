// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/tensor.h"

namespace edgeprobe::compare {

/// Frames in which the class that `b` puts first is not the one that `a` does; both hold one output
/// frame by frame. 0 unless `a` gives the probabilities of classes in every frame, and unless the
/// changed frames are more than answers may differ by (task::answer_floor()).
std::size_t changed_classes(const std::vector<const Tensor*>& a,
                            const std::vector<const Tensor*>& b);

}  // namespace edgeprobe::compare
