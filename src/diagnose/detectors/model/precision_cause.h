// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// The target computes with less precision than its model file declares: its recorded float32
/// layers contain only float16 or bfloat16 numbers, or its products match rounded operands. This is
/// a warning. It is a confirmed cause if both sides run the same model, the format explains every
/// recorded step on its own recorded inputs, and the reference, emulated in that format on the
/// target's inputs, loses at least half of what the target loses.
Result<Findings> find_precision(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
