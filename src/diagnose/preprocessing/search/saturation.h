// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/search/explanation.h"

namespace edgeprobe::diagnose {

/// True if the target's codes keep so little of the picture that almost any change fits them:
/// nearly all are the ends of their range, or only a few differ, while the reference's codes keep
/// more.
bool is_saturated(const Frame& frame, const Reference& reference);

/// True if the hypothesis predicts the codes of a saturated frame one by one: all but a few within
/// the noise of a decoder, the rarer codes at their places.
bool predicts_codes(Frame& frame, const Reference& reference, const Hypothesis& h);

/// Names the ranges that, cut off by the codes, give this input: in the reference's geometry and
/// colours, or turned, mirrored or with B and R exchanged. Partial if none does; undecidable if all
/// codes are equal. `residual_before` and the reference's own hypothesis come from `start`.
Explanation explain_saturated(Frame& frame, const Reference& reference,
                              const std::vector<Range>& ranges, Explanation start);

/// The ranges that make every value of this frame its one recorded code.
std::vector<Range> ranges_of_constant(Frame& frame, const Reference& reference,
                                      const std::vector<Range>& ranges);

}  // namespace edgeprobe::diagnose
