// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "why/answer.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// Tensors of other sizes: a window of the other picture, a fourth channel, one class more, the
/// best class of scores. Always an answer: that the sizes differ is one.
Answer by_sizes(const Sides& sides);

}  // namespace edgeprobe::why
