// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "diagnose/preprocessing/model/input_diagnosis.h"
#include "diagnose/sensor/problem.h"

namespace edgeprobe::diagnose::sensor {

/// How the app processes a sensor's readings differently from the reference, from readings and the
/// model inputs made of them. `step`: 1/255 of the range of the reference's input, the unit of
/// residuals. Searches the observations that move most; all must confirm the result. kInterrupted
/// if it was stopped.
Result<InputDiagnosis> diagnose(const std::vector<Observation>& observations,
                                const readings::FrontEnd& reference, double step,
                                const Control& control);

}  // namespace edgeprobe::diagnose::sensor
