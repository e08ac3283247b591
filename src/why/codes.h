// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// Whole numbers against real ones, or against those of another type: codes of a scale and zero
/// point, bytes of another sign, values that were cut off or rounded.
std::optional<Answer> by_codes(const Sides& sides);

/// Values that differ by less than one step: equal, and how they were rounded. `step` of the values
/// where both are real numbers.
std::optional<Answer> by_rounding(const Sides& sides);

/// How a recipe makes values of pixels: of each channel its weights of R, G and B, and its line.
struct PixelLines {
  std::vector<std::array<double, 3>> channels;
  std::vector<double> gain, offset;
};
/// Of causes: with whole numbers on one side a range is one of codes, where both recipes say one
/// scale and zero point for all channels.
void name_codes(Answer& answer, const Sides& sides, const PixelLines& app,
                const PixelLines& reference);

}  // namespace edgeprobe::why
