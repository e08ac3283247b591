// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compare/align/align.h"
#include "compare/metrics/sampled.h"
#include "compare/outputs/agreement.h"

namespace edgeprobe::compare {

/// Outputs that stand in each other's place: their values fit crosswise and not straight, or a pair
/// that fits by its shape alone bears the names crosswise. `reference` and `target` are the
/// channels that the alignment's indices mean.
std::vector<SwappedOutputs> swapped_outputs(const Alignment& alignment,
                                            const std::vector<const trace::ReadChannel*>& reference,
                                            const std::vector<const trace::ReadChannel*>& target,
                                            SampledFrame& frame);

}  // namespace edgeprobe::compare
