// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "why/answer.h"
#include "why/sides.h"

/// Tensors that hold one value where the other has others: a part that was never written, or values
/// that were set to 0 by what they are.
namespace edgeprobe::why {

/// Negative values set to 0, as by ReLU. Tried in both directions.
std::optional<Answer> by_relu(const Sides& sides);

/// True if the app's tensor is the reference's but for values that are replaced by very few others,
/// and these form no part of it: they are scattered, or chosen by their value.
bool is_scattered_fill(const Sides& sides);

/// "the app's values are 0 in 28 of 64 places, and the reference's in all others"; empty if not so.
std::string fill_of(const Sides& sides);

}  // namespace edgeprobe::why
