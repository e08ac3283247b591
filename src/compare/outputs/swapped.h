// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compare/align/align.h"
#include "compare/metrics/sampled.h"
#include "compare/outputs/agreement.h"

namespace edgeprobe::compare {

/// Finds exchanged outputs: their values match crosswise and not directly, or a pair matched only
/// by shape has the names crosswise. `reference` and `target` are the channels that the alignment's
/// indices refer to.
std::vector<SwappedOutputs> swapped_outputs(const Alignment& alignment,
                                            const std::vector<const trace::ReadChannel*>& reference,
                                            const std::vector<const trace::ReadChannel*>& target,
                                            SampledFrame& frame);

}  // namespace edgeprobe::compare
