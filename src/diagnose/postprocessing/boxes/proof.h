// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "diagnose/postprocessing/boxes/predictions.h"

namespace edgeprobe::diagnose::boxes {

/// Bits that speak for one change: what the recorded answers have, the recipe with it predicts, and
/// the recipe without it does not. Equal boxes, scores and labels count once, in whichever frames;
/// numbers that cutting or saturation give anyway count little; fitted numbers are paid for.
double bits_for(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                const Change& change, std::span<const std::size_t> frames);

/// Bits that a change must have before it is confirmed, when it is one of so many.
double bits_needed(const Change& change, std::size_t changes);

}  // namespace edgeprobe::diagnose::boxes
