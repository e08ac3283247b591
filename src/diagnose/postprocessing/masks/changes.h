// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "diagnose/postprocessing/masks/predictions.h"

namespace edgeprobe::diagnose::masks {

/// Changes that may be made to a recipe: what apps are known to do otherwise.
std::vector<Change> catalogue(const Predictions& predictions, const Recipe& recipe);

/// Changes that the recorded masks propose by closed forms under this recipe: their size, a map of
/// classes, a threshold.
std::vector<Change> proposed(Predictions& predictions, const Recipe& recipe);

/// Bits that speak for one change: places at borders between classes where the masks have what the
/// recipe with it predicts and the one without it does not.
double bits_for(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                const Change& change, std::span<const std::size_t> frames);

}  // namespace edgeprobe::diagnose::masks
