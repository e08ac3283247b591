// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/input/input_scale.h"
#include "diagnose/replay/replays.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

/// Confirmed when the reference's model, fed through those codes, comes closer to the target's
/// answers; a note when nothing is off; partial when that cannot be tried, or when nobody said
/// which recipe the reference has.
Cause input_scale_cause(const InputScale& scale, const Study& study, const Replays& replays,
                        double floor);

}  // namespace edgeprobe::diagnose
