// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// Combines the detectors' findings into the verdict: which causes are reported and in which order,
/// how much each fix restores, the unexplained rest, and the outcome.
Verdict merge(Examination examined, std::vector<Findings> findings);

}  // namespace edgeprobe::diagnose
