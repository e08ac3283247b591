// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// Whole numbers against real ones, or against those of another type: codes of a scale and zero
/// point, bytes of another sign, values that were cut off or rounded.
std::optional<Answer> by_codes(const Sides& sides);

/// Values that differ by less than one step: equal, and how they were rounded. `step` of the values
/// where both are real numbers.
std::optional<Answer> by_rounding(const Sides& sides);

/// Of causes: with whole numbers on one side a range is one of codes, where the lines of both
/// recipes, from pixels to values, say so. Each is given by one gain and offset.
struct PixelLine {
  double gain = 1, offset = 0;
};
void name_codes(Answer& answer, const Sides& sides, const PixelLine& app,
                const PixelLine& reference);

}  // namespace edgeprobe::why
