// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/detector.h"

namespace edgeprobe::diagnose {

/// Float32 layers of the target that hold numbers of float16 or bfloat16 alone, where those of the
/// reference do not: a warning. It says what was stored, not that it is the cause.
Result<Findings> find_stored_precision(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
