// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// Every detector, in the order in which they are asked and in which their causes are told.
std::span<const Detector> detectors();

}  // namespace edgeprobe::diagnose
