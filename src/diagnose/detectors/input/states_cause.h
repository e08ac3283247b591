// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// States that arrive in the next step otherwise than they left the one before, with the first such
/// frame. Confirmed where the recorded tensors are exactly what the cause says, in every step that
/// is not as meant; else the nearest, or unknown. What feeding them right restores is replayed with
/// the target's model.
Result<Findings> find_states(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
