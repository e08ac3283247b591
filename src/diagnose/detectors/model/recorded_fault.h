// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// Finds the operators of the target that hold a fault, from the layers that the reference
/// recorded: for a reference in a format whose layers no engine runs by themselves (.keras, .pt2).
/// The target's operators before the first layer that differs run as a model of their own on the
/// reference's values; the rest of its model runs with the reference's values of that layer.
/// Nothing unless the first gives what the target recorded, and the second the reference's outputs.
/// The cause is confirmed if a line through the values of each channel explains it; else only its
/// place is known. Only for real numbers, and where both models were fed alike.
Result<Findings> find_recorded_fault(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
