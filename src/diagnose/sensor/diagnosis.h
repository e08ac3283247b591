// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "diagnose/preprocessing/model/input_diagnosis.h"
#include "diagnose/sensor/problem.h"

namespace edgeprobe::diagnose::sensor {

/// What the app makes of a sensor's readings otherwise than the reference, from readings and the
/// model inputs that were made of them. `step`: one 255th of the range of the reference's input,
/// the unit of residuals. Those that move most are searched, all must bear it out. kInterrupted
/// when it was stopped.
Result<InputDiagnosis> diagnose(const std::vector<Observation>& observations,
                                const readings::FrontEnd& reference, double step,
                                const Control& control);

}  // namespace edgeprobe::diagnose::sensor
