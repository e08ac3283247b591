// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// A state inside the model (variable tensors) that the app resets at other times than at the
/// beginnings of sequences: before every step, never, a step late or early, or every other time.
/// Found by replay: confirmed if the reference gives the target's answers with those resets, and
/// does not with the right ones.
Result<Findings> find_inner_state(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
