// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::serve {

/// Converts float32 values to codes of an integer tensor: round(x / scale) + zero point, halves to
/// even, saturated; NaN becomes the zero point. `to` has spec.byte_size() bytes. kUnsupported for a
/// spec without a single scale and for dtypes other than int8, uint8, int16 and int32. (Kenning
/// truncates instead of rounding, and its codes wrap around.)
Status quantize(ByteView floats, const TensorSpec& spec, std::byte* to);

}  // namespace edgeprobe::serve
