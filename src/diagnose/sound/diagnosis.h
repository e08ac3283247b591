// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control.h"
#include "diagnose/preprocessing/model/input_diagnosis.h"
#include "diagnose/sound/problem.h"

namespace edgeprobe::diagnose::sound {

/// What the app's front end does otherwise than the reference's, from recordings and the model
/// inputs that were made of them. `step`: one 255th of the range of the reference's input, the unit
/// of residuals. The loudest recordings are searched, all must bear it out. kInterrupted when it
/// was stopped.
Result<InputDiagnosis> diagnose(const std::vector<Observation>& observations,
                                const audio::FrontEnd& reference, double step,
                                const Control& control);

}  // namespace edgeprobe::diagnose::sound
