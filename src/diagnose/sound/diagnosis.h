// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control.h"
#include "diagnose/preprocessing/model/input_diagnosis.h"
#include "diagnose/sound/problem.h"

namespace edgeprobe::diagnose::sound {

/// How the app's front end differs from the reference's, from recordings and the model inputs made
/// of them. `step`: 1/255 of the range of the reference's input, the unit of residuals. Searches
/// the loudest recordings; all must confirm the result. kInterrupted if it was stopped.
Result<InputDiagnosis> diagnose(const std::vector<Observation>& observations,
                                const audio::FrontEnd& reference, double step,
                                const Control& control);

}  // namespace edgeprobe::diagnose::sound
