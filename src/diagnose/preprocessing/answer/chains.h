// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/preprocessing/answer/beyond.h"

namespace edgeprobe::diagnose {

/// Two geometric steps instead of the reference's one: every n-th pixel or a smaller picture before
/// the reference's own steps, or a stretch to a larger size followed by a crop.
std::optional<Beyond> explain_by_chain(std::vector<Frame>& frames, const Reference& reference,
                                       const Hypothesis& own);

}  // namespace edgeprobe::diagnose
