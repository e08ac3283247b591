// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/examination/examination.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

/// Judges `causes` by FittingCodes, if the reference reproduces the target's answers once it
/// computes in the target's codes. If better codes restore the outputs, confirms the cause that
/// blames codes, or adds one for the calibration. If they do not, adds that int8 does not suit this
/// model. Drops layers without a reason if codes explain all of the difference.
void judge_by_codes(const Examination& examined, std::vector<Cause>& causes);

}  // namespace edgeprobe::diagnose
