// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/detector.h"

namespace edgeprobe::diagnose {

/// The first layer that differs. On the replay of the target's model input where there is one, else
/// on the two recordings when their model inputs are equal; names no cause.
Result<Findings> find_first_layer(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
