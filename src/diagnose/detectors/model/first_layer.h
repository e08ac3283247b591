// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// The first layer that differs. On the replay of the target's model input where there is one, else
/// on the two recordings when their model inputs are equal; names no cause.
Result<Findings> find_first_layer(const Examination& examined, const Control& control);

/// The same of two recordings alone, whose graphs nobody has: nothing when their model inputs
/// differ or were not recorded. `above`: as compare::first_difference().
std::optional<FirstLayer> first_recorded_layer(const compare::Agreement& agreement,
                                               std::optional<double> above);

}  // namespace edgeprobe::diagnose
