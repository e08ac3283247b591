// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// What the app does to its input otherwise than the reference, by the kind of the input.
Result<Findings> find_input(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
