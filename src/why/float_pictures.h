// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// Two pictures of real values, neither of them 8-bit pixels: reordered channels, rotation or
/// mirroring, swapped axes, and a line through each channel, all at once.
std::optional<Answer> by_view(const Sides& sides);

}  // namespace edgeprobe::why
