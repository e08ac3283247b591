// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// Two pictures of real values, neither of them 8-bit pixels: channels in another order, turned or
/// mirrored, axes exchanged, and a line through each channel, all of these at once.
std::optional<Answer> by_view(const Sides& sides);

}  // namespace edgeprobe::why
