// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "diagnose/postprocessing/boxes/predictions.h"

namespace edgeprobe::diagnose::boxes {

/// Evidence for one change, in bits: observations that the recipe predicts with it and not without
/// it. Equal boxes, scores and labels count once across frames. Numbers that clipping or saturation
/// would produce anyway count little. Fitted parameters cost bits.
double bits_for(Predictions& predictions, const Recipe& with_it, const Recipe& without_it,
                const Change& change, std::span<const std::size_t> frames);

}  // namespace edgeprobe::diagnose::boxes
