// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// Layer drift, coverage and what the comparison could not do.
Result<Findings> find_drift(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
