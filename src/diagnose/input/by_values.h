// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control.h"
#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// Where a search for other front ends ended without a name: one change of the values that the
/// model is fed, or the place in which they differ. Other evidence comes back as it was.
Result<InputEvidence> or_by_values(const Study& study, InputEvidence evidence,
                                   const Control& control);

}  // namespace edgeprobe::diagnose
