// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// Finds the first layer that differs: on the replay of the target's model input if there is one,
/// else on the two recordings if their model inputs are equal. Names no cause.
Result<Findings> find_first_layer(const Examination& examined, const Control& control);

/// The same for two recordings without graphs. Nothing if their model inputs differ or were not
/// recorded. `above`: as in compare::first_difference().
std::optional<FirstLayer> first_recorded_layer(const compare::Agreement& agreement,
                                               std::optional<double> above);

}  // namespace edgeprobe::diagnose
