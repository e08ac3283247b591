// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/input/input_evidence.h"
#include "diagnose/study.h"

namespace edgeprobe::diagnose {

/// Whether a sensor's readings feed the reference: its recipe is one of readings.
bool is_of_readings(const Case& known);

/// The search in front of a model of a sensor's readings.
Result<InputEvidence> examine_readings(const Study& study, const Control& control);

}  // namespace edgeprobe::diagnose
