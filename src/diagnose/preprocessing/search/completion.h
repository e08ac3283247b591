// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/search/explanation.h"

namespace edgeprobe::diagnose {

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

}  // namespace edgeprobe::diagnose
