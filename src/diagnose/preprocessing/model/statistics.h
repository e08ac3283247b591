// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/model/frame.h"
#include "diagnose/verdict/evidence.h"

namespace edgeprobe::diagnose {

/// How the recorded tensor and the reference's differ when nobody can say why: range, mean and
/// deviation, correlation, spectrum; as evidence.
std::vector<Evidence> describe_difference(const Frame& frame, const Reference& reference);

}  // namespace edgeprobe::diagnose
