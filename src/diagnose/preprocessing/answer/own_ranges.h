// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/preprocessing/answer/beyond.h"

namespace edgeprobe::diagnose {

/// "Each frame has its own gain": every frame is exact by itself, and they differ in nothing but
/// their lines. Two frames at least.
std::optional<Beyond> explain_by_own_ranges(std::vector<Frame>& frames,
                                            const std::vector<Explanation>& explanations,
                                            const Reference& reference, const Hypothesis& own);

}  // namespace edgeprobe::diagnose
