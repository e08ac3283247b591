// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measurements/measurements.h"
#include "measurements/taken.h"

namespace edgeprobe::measurements {

/// Class names, the confusion matrix, what detectors found.
Status take_quality(Json& object, Measurements& out);

}  // namespace edgeprobe::measurements
