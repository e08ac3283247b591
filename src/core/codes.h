// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor.h"

namespace edgeprobe {

/// True if the integers of a tensor encode real numbers: 8-bit or 16-bit codes with a scale. A
/// mask, an index or a picture in bytes has no scale.
inline bool holds_codes(const TensorSpec& spec) {
  return is_integer(spec.dtype) && !spec.quantization.empty();
}

}  // namespace edgeprobe
