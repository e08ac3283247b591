// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// NaN, infinity or one value everywhere on one side only.
std::optional<Answer> broken(const Sides& sides);

/// Bytes of numbers in the other order, and codes of the other sign.
std::optional<Answer> by_bytes(const Sides& sides);

/// Codes that are all too high or too low, and cut off at the ends.
std::optional<Answer> by_moved_codes(const Sides& sides);

/// Of pictures: moved by whole rows or columns.
std::optional<Answer> by_shift(const Sides& sides);

/// The one change that makes one side's values of the other's (diagnose/tensors), the app's of the
/// reference's first.
std::optional<Answer> by_change(const Sides& sides);

/// Of pictures: the app's is the reference's but for a part or a channel that was never filled.
std::optional<Answer> by_missing_part(const Sides& sides);

/// Of pictures: a channel, a part or a border that holds something else, pixels in other places, a
/// curve (diagnose/input/parts).
std::optional<Answer> by_parts(const Sides& sides);

/// Where the values differ, in words; empty where they do everywhere.
std::string place_of(const Sides& sides);

}  // namespace edgeprobe::why
