// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// All detectors, in the order in which they run and their causes are reported.
std::span<const Detector> detectors();

}  // namespace edgeprobe::diagnose
