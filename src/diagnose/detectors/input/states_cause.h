// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// States that change between the end of one step and the start of the next, with the first such
/// frame. Confirmed if the cause predicts the recorded tensors exactly in every wrong step; else
/// the nearest cause, or unknown. `restored` comes from a replay of the target's model with the
/// right states.
Result<Findings> find_states(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
