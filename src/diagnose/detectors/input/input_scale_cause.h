// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/input/input_scale.h"
#include "diagnose/replay/replays.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

/// Confirmed if the reference's model, fed through those codes, comes closer to the target's
/// answers; a note if the outputs agree; partial if that cannot be tried, or the reference's recipe
/// was guessed.
Cause input_scale_cause(const InputScale& scale, const Study& study, const Replays& replays,
                        double floor);

}  // namespace edgeprobe::diagnose
