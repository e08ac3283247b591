// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/model/frame.h"
#include "diagnose/verdict/evidence.h"

namespace edgeprobe::diagnose {

/// Statistics of an unexplained difference between the recorded tensor and the reference's, as
/// evidence: range, mean and deviation, correlation, spectrum.
std::vector<Evidence> describe_difference(const Frame& frame, const Reference& reference);

}  // namespace edgeprobe::diagnose
