// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// Answers that the app recorded, against what the reference's recipe makes of the target's own
/// outputs. A change of the recipe that gives exactly the answers is a cause; confirmed when more
/// than luck speaks for it. Nothing when the app recorded no answer.
Result<Findings> find_answers(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
