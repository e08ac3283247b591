// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// Explains tensors of different sizes: a window of the other picture, a fourth channel, one more
/// class, the best class of scores. Always returns an answer: the sizes differ.
Answer by_sizes(const Sides& sides);

}  // namespace edgeprobe::why
