// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/search/explanation.h"

namespace edgeprobe::diagnose {

/// The best explanation of one frame: geometries first, then everything that is done to values.
Explanation explain(Frame& frame, const Reference& reference, const std::vector<Range>& ranges);

}  // namespace edgeprobe::diagnose
