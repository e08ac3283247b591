// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// A state inside the model (variable tensors) that the app sets back otherwise than its sequences
/// begin: before every step, never, a step late or early, every other time. Only a replay can tell:
/// confirmed where the reference, set back like that, gives the target's answers, and set back as
/// meant does not.
Result<Findings> find_inner_state(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
