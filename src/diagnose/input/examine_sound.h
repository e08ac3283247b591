// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/input/input_evidence.h"
#include "diagnose/study.h"

namespace edgeprobe::diagnose {

/// Whether recordings feed the reference: its recipe is one of sound.
bool is_sound(const Case& known);

/// The search in front of a model of sound.
Result<InputEvidence> examine_sound(const Study& study, const Control& control);

}  // namespace edgeprobe::diagnose
