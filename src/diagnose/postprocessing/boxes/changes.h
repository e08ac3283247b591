// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/postprocessing/boxes/predictions.h"

namespace edgeprobe::diagnose::boxes {

/// Changes that may be made to a recipe: what apps are known to do otherwise.
std::vector<Change> catalogue(const Predictions& predictions, const Recipe& recipe);

/// Changes that the recorded answers propose by closed forms under this recipe: score threshold,
/// most boxes, one factor for all pictures.
std::vector<Change> proposed(Predictions& predictions, const Recipe& recipe);

}  // namespace edgeprobe::diagnose::boxes
