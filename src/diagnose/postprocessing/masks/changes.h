// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "diagnose/postprocessing/masks/predictions.h"

namespace edgeprobe::diagnose::masks {

/// Changes to a recipe that correspond to known mistakes of apps.
std::vector<Change> catalogue(const Predictions& predictions, const Recipe& recipe);

/// Changes that the recorded masks suggest by closed forms under this recipe: size, class map,
/// threshold.
std::vector<Change> proposed(Predictions& predictions, const Recipe& recipe);

/// Evidence for one change, in bits: places at class borders where the masks match the recipe with
/// it and not without it.
double bits_for(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                const Change& change, std::span<const std::size_t> frames);

}  // namespace edgeprobe::diagnose::masks
