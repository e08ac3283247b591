// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// Compares the app's recorded answers with those the reference's recipe makes of the target's own
/// outputs. A change of the recipe that reproduces the answers exactly is a cause, confirmed if the
/// evidence exceeds chance. Nothing if the app recorded no answer.
Result<Findings> find_answers(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
