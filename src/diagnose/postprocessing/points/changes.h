// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "diagnose/postprocessing/points/predictions.h"

namespace edgeprobe::diagnose::points {

/// Changes to a recipe that correspond to known mistakes of apps.
std::vector<Change> catalogue(Predictions& predictions, const Recipe& recipe);

/// Changes that the recorded points suggest by closed forms under this recipe: threshold, order,
/// one factor for all pictures.
std::vector<Change> proposed(Predictions& predictions, const Recipe& recipe);

/// Evidence for one change, in bits: observations that the recipe predicts with it and not without
/// it. Equal points and scores count once across frames.
double bits_for(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                const Change& change, std::span<const std::size_t> frames);

/// Maps each point to its mirror image, by the recipe's names, or COCO's for 17 points; empty if
/// these names are not known.
std::vector<std::size_t> sides_exchanged(const Recipe& recipe, std::size_t count);

}  // namespace edgeprobe::diagnose::points
