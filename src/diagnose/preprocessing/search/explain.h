// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/search/explanation.h"
#include "diagnose/preprocessing/search/hypothesis.h"

namespace edgeprobe::diagnose {

/// The best explanation of one frame: searches geometries first, then operations on values.
Explanation explain(Frame& frame, const Reference& reference, const std::vector<Range>& ranges);

/// One attempt on a frame: an interpretation, the geometries (best first), and the preparation of
/// the picture before them.
struct Attempt {
  const Interpretation* interpretation = nullptr;
  const std::vector<Trial>* trials = nullptr;
  Look look;  ///< Preparation of the picture before the geometry.
};

/// Completes geometries to an explanation: kernel, mixture, range, rounding, bars; then reverts
/// each difference that the frame does not need. `e` provides `residual_before`.
Explanation name_explanation(Frame& frame, const Reference& reference,
                             const std::vector<Range>& ranges, const Attempt& attempt,
                             Explanation e);

/// Decides without a search, if possible: values that no picture has, a tensor equal to the
/// reference's, or one that differs only by rounding or a similar range. Nothing: a search is
/// needed.
std::optional<Explanation> settle_early(Frame& frame, const Reference& reference,
                                        const std::vector<Range>& ranges);

/// RMS distance of the target from the reference's tensor in gray steps.
double distance_from_reference(const Frame& frame, const Reference& reference);

/// Measures the fill of the hypothesis' bars in the target: one pixel value or one per channel,
/// snapped to the values of `own` and the usual ones. All other parts of the hypothesis must be
/// known; no effect without bars.
void measure_letterbox(Frame& frame, const Reference& reference,
                       const Interpretation& interpretation, const Hypothesis& own, Hypothesis& h);

}  // namespace edgeprobe::diagnose
