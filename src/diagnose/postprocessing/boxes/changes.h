// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/postprocessing/boxes/predictions.h"

namespace edgeprobe::diagnose::boxes {

/// Changes to a recipe that correspond to known mistakes of apps.
std::vector<Change> catalogue(const Predictions& predictions, const Recipe& recipe);

/// Changes that the recorded answers suggest by closed forms under this recipe: score threshold,
/// maximum number of boxes, one factor for all pictures.
std::vector<Change> proposed(Predictions& predictions, const Recipe& recipe);

}  // namespace edgeprobe::diagnose::boxes
