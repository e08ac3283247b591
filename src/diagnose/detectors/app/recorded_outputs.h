// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// Outputs that differ from the reference's by one change although the model inputs are equal: from
/// another frame (a late answer), with another scale, or in another order. Nothing if the layers
/// have a cause, or inputs were not recorded.
Result<Findings> find_recorded_outputs(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
