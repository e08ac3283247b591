// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control.h"
#include "diagnose/case/study.h"
#include "diagnose/tensors/pairs.h"

namespace edgeprobe::diagnose {

/// One tensor of both traces, frame by frame; in codes if both sides have codes with the same
/// scale. Empty if a side is null. Of a large recording, only the first frames.
Result<tensors::Pairs> recorded_pairs(const Study& study, const trace::ReadChannel* target,
                                      const trace::ReadChannel* reference, const Control& control);

}  // namespace edgeprobe::diagnose
