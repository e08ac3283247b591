// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bytes.h"
#include "core/tensor.h"

namespace edgeprobe::engine::stretch {

/// True if a floating-point tensor contains NaN; false for other types.
bool has_nan(DType dtype, ByteView bytes);

}  // namespace edgeprobe::engine::stretch
