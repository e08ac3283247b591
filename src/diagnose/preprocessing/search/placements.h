// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/search/search.h"

namespace edgeprobe::diagnose {

/// How the target reads and where the picture lies in it.
struct Placements {
  Interpretation interpretation;
  std::vector<Placement> placements;
};

/// Narrowed from the coarse candidates with the full picture and neutral kernels. No places when
/// too few pixels can be fitted.
Placements narrow(Frame& frame, const Reference& reference, const std::vector<Framing>& framings,
                  const std::vector<Candidate>& candidates);

}  // namespace edgeprobe::diagnose
