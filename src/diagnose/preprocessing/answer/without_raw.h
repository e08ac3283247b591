// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/tensor.h"

namespace edgeprobe::diagnose {

/// Observations without raw images: range by the 8-bit lattice, layout by total variation, gray,
/// letterbox, int8 read as uint8. One sentence each; none is a cause.
std::vector<std::string> describe_without_raw(const std::vector<TensorView>& target_inputs);

}  // namespace edgeprobe::diagnose
