// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "diagnose/postprocessing/boxes/predictions.h"

namespace edgeprobe::diagnose::boxes {

/// Bits that speak for one change: what the recorded answers have, the recipe with it predicts, and
/// the recipe without it does not. Equal boxes, scores and labels count once, in whichever frames;
/// numbers that cutting or saturation give anyway count little; fitted numbers are paid for.
double bits_for(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                const Change& change, std::span<const std::size_t> frames);

}  // namespace edgeprobe::diagnose::boxes
