// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// Outputs that are one change of the reference's although the model inputs are equal: another
/// frame's (an answer that comes late), read by another scale, in another order. Nothing where the
/// layers have a cause, or inputs were not recorded.
Result<Findings> find_recorded_outputs(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
