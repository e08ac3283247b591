// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/input/search.h"

namespace edgeprobe::diagnose {

/// How the target reads and where the picture lies in it.
struct Places {
  Reading reading;
  std::vector<Place> places;
};

/// Narrowed from the coarse leads with the full picture and neutral kernels. No places when too few
/// pixels can be fitted.
Places narrow(Frame& frame, const Reference& reference, const std::vector<Framing>& framings,
              const std::vector<Lead>& leads);

}  // namespace edgeprobe::diagnose
