// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/preprocessing/answer/beyond.h"
#include "diagnose/preprocessing/search/consensus.h"

namespace edgeprobe::diagnose {

/// What is tried where no recipe reproduces the recorded inputs.
std::optional<Beyond> beyond_recipes(std::vector<Frame>& frames,
                                     const std::vector<Explanation>& explanations,
                                     const Consensus& nearest, const Reference& reference,
                                     const Hypothesis& own);

}  // namespace edgeprobe::diagnose
