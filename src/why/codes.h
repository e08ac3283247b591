// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// Integers against real numbers, or against integers of another type: codes of a scale and zero
/// point, bytes of another sign, truncated or rounded values.
std::optional<Answer> by_codes(const Sides& sides);

/// Values that differ by less than one step: equal, with the kind of rounding. `step` is for two
/// sides of real numbers.
std::optional<Answer> by_rounding(const Sides& sides);

/// How a recipe computes values from pixels: for each channel its weights of R, G and B, and its
/// line.
struct PixelLines {
  std::vector<std::array<double, 3>> channels;
  std::vector<double> gain, offset;
};
/// Rewrites causes: with integers on one side, a range is expressed in codes if both recipes have
/// one scale and zero point for all channels.
void name_codes(Answer& answer, const Sides& sides, const PixelLines& app,
                const PixelLines& reference);

}  // namespace edgeprobe::why
