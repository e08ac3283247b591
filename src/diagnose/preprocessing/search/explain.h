// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/search/explanation.h"
#include "diagnose/preprocessing/search/hypothesis.h"

namespace edgeprobe::diagnose {

/// The best explanation of one frame: geometries first, then everything that is done to values.
Explanation explain(Frame& frame, const Reference& reference, const std::vector<Range>& ranges);

/// What was tried on one frame: an interpretation, the geometries (best first), and what was done
/// to the picture before them.
struct Attempt {
  const Interpretation* interpretation = nullptr;
  const std::vector<Trial>* trials = nullptr;
  Look look;  ///< What was done to the picture before the geometry.
};

/// From geometries to a whole explanation: kernel, mixture, range, rounding, bars; then every
/// difference that the frame does not need is taken back. `e` brings `residual_before`.
Explanation name_explanation(Frame& frame, const Reference& reference,
                             const std::vector<Range>& ranges, const Attempt& attempt,
                             Explanation e);

/// What can be said before any search: values that no picture has, a tensor that equals the
/// reference's, or one that differs by no more than rounding or a range next to it. Nothing: a
/// search is needed.
std::optional<Explanation> settle_early(Frame& frame, const Reference& reference,
                                        const std::vector<Range>& ranges);

/// RMS distance of the target from the reference's tensor in gray steps.
double distance_from_reference(const Frame& frame, const Reference& reference);

/// Sets the fill of the hypothesis' bars from the target: one pixel value or one a channel, snapped
/// to `own`'s and to the usual ones. Everything else about the hypothesis must be known; without
/// bars nothing changes.
void measure_letterbox(Frame& frame, const Reference& reference,
                       const Interpretation& interpretation, const Hypothesis& own, Hypothesis& h);

}  // namespace edgeprobe::diagnose
