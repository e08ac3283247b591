// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

std::vector<LayerDrift> layer_drifts(const compare::Agreement& agreement);
Coverage coverage_of(const compare::Agreement& agreement);

/// Reports layer drift, coverage, and tensors that could not be compared.
Result<Findings> find_drift(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
