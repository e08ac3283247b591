// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/examination/examination.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

/// Judges `causes` by what FittingCodes measured, where the target's codes alone make of the
/// reference what the target answers. Codes that fit bring it back: the cause that blames codes is
/// confirmed, or one of its own, the calibration. They do not: int8 does not serve this model.
/// Layers without a reason go when the codes are all that there is to explain.
void judge_by_codes(const Examination& examined, std::vector<Cause>& causes);

}  // namespace edgeprobe::diagnose
