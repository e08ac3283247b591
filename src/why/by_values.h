// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// NaN, infinity or a constant on one side only.
std::optional<Answer> broken(const Sides& sides);

/// Numbers with reversed bytes, and codes of the other sign.
std::optional<Answer> by_bytes(const Sides& sides);

/// Codes that are all shifted up or down, and clipped at the ends.
std::optional<Answer> by_moved_codes(const Sides& sides);

/// For pictures: shifted by whole rows or columns.
std::optional<Answer> by_shift(const Sides& sides);

/// The single change that turns one side's values into the other's (diagnose/tensors); first tries
/// from the reference's to the app's.
std::optional<Answer> by_change(const Sides& sides);

/// For pictures: the app's equals the reference's except for a part or a channel that was never
/// filled.
std::optional<Answer> by_missing_part(const Sides& sides);

/// For pictures: a channel, a part or a border with other content, moved pixels, a curve
/// (diagnose/input/parts).
std::optional<Answer> by_parts(const Sides& sides);

/// Where the values differ, in words; empty if they differ everywhere.
std::string place_of(const Sides& sides);

}  // namespace edgeprobe::why
