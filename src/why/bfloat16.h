// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "why/answer.h"
#include "why/sides.h"

/// 32-bit floats whose lower 16 bits are 0: numbers that went through bfloat16.
namespace edgeprobe::why {

/// One side is the other, cut off or rounded to bfloat16: every value, to the last bit.
std::optional<Answer> by_bfloat16(const Sides& sides);

/// Both sides with their full digits, as one usual range gives them.
struct Restored {
  Sides sides;
  std::string how;  ///< "the app's values are pixels to 0..1, cut off to bfloat16".
};
/// Each way to read a side's bfloat16 numbers as pixels of a usual range; empty if no side lost
/// digits. Pixels/255 cut off and pixels/256 are one number for every pixel but 255.
std::vector<Restored> restored(const Sides& sides);

}  // namespace edgeprobe::why
