// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// The target computes with less precision than its model file says: its recorded float32 layers
/// hold numbers of float16 or bfloat16 alone, or its products lie where rounded operands put them.
/// A warning. A confirmed cause where, besides, the same model runs on both sides, the format
/// explains every recorded step on its own recorded inputs, and the reference emulated in it on the
/// target's inputs loses half of what the target loses.
Result<Findings> find_precision(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
