// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/preprocessing/search/explanation.h"

namespace edgeprobe::diagnose {

/// What can be said before any search: values that no picture has, a tensor that equals the
/// reference's, or one that differs by no more than rounding or a range next to it. Nothing: a
/// search is needed.
std::optional<Explanation> settle_early(Frame& frame, const Reference& reference,
                                        const std::vector<Range>& ranges);

/// RMS distance of the target from the reference's tensor in gray steps.
double distance_from_reference(const Frame& frame, const Reference& reference);

}  // namespace edgeprobe::diagnose
