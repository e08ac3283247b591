// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "diagnose/postprocessing/points/predictions.h"

namespace edgeprobe::diagnose::points {

/// Changes that may be made to a recipe: what apps are known to do otherwise.
std::vector<Change> catalogue(Predictions& predictions, const Recipe& recipe);

/// Changes that the recorded points propose by closed forms under this recipe: threshold, order,
/// one factor for all pictures.
std::vector<Change> proposed(Predictions& predictions, const Recipe& recipe);

/// Bits that speak for one change: what the recorded points have, the recipe with it predicts, and
/// the one without it does not. Equal points and scores count once, in whichever frames.
double bits_for(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                const Change& change, std::span<const std::size_t> frames);

/// For each point the one of the other side, by the names of the recipe or by those of COCO for 17
/// points; empty where there are no such names.
std::vector<std::size_t> sides_exchanged(const Recipe& recipe, std::size_t count);

}  // namespace edgeprobe::diagnose::points
