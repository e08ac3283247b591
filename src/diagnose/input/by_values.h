// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control.h"
#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// If a search for other front ends found no named cause, looks for one change of the values that
/// the model is fed, or for the place where they differ. Returns other evidence unchanged.
Result<InputEvidence> or_by_values(const Study& study, InputEvidence evidence,
                                   const Control& control);

}  // namespace edgeprobe::diagnose
