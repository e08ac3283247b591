// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/detector.h"

namespace edgeprobe::diagnose {

/// The target computes in float16 or bfloat16 what its model file says in float32. Suspected where
/// its recorded float32 layers hold numbers of such a format alone and the reference's do not: a
/// warning. A confirmed cause where, besides, the same model runs on both sides, nine of ten
/// recorded layers give what the format makes of their own recorded inputs, and the reference
/// emulated in it on the target's inputs loses half of what the target loses.
Result<Findings> find_precision(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
