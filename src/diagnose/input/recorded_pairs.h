// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control.h"
#include "diagnose/case/study.h"
#include "diagnose/tensors/pairs.h"

namespace edgeprobe::diagnose {

/// One tensor of both traces, frame by frame: in codes where both sides hold codes of one scale. No
/// frames where a side is null; the first ones of a recording that is too large.
Result<tensors::Pairs> recorded_pairs(const Study& study, const trace::ReadChannel* target,
                                      const trace::ReadChannel* reference, const Control& control);

}  // namespace edgeprobe::diagnose
