// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// How the app prepares its input differently from the reference, for each kind of input.
Result<Findings> find_input(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
