// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor.h"

namespace edgeprobe {

/// True if the integers of a tensor encode real numbers. A mask, an index or a picture in bytes has
/// no scale; 16-bit codes have one as well as 8-bit ones.
inline bool holds_codes(const TensorSpec& spec) {
  return is_integer(spec.dtype) && !spec.quantization.empty();
}

}  // namespace edgeprobe
