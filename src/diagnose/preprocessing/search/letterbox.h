// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/preprocessing/search/hypothesis.h"

namespace edgeprobe::diagnose {

/// Sets the fill of the hypothesis' bars from the target: one pixel value or one a channel, snapped
/// to `own`'s and to the usual ones. Everything else about the hypothesis must be known; without
/// bars nothing changes.
void measure_letterbox(Frame& frame, const Reference& reference,
                       const Interpretation& interpretation, const Hypothesis& own, Hypothesis& h);

}  // namespace edgeprobe::diagnose
