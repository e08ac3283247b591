// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// The verdict on what the detectors found, in the order given: which causes are told and in what
/// order, what mending each restores, what is left without a cause, and the outcome.
Verdict merge(Examination examined, std::vector<Findings> findings);

}  // namespace edgeprobe::diagnose
