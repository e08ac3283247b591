// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor.h"

namespace edgeprobe {

/// Whether the integers of a tensor are codes of real numbers. A mask, an index or a picture in
/// bytes has no scale; codes of 16 bits have one as well as those of 8.
inline bool holds_codes(const TensorSpec& spec) {
  return is_integer(spec.dtype) && !spec.quantization.empty();
}

}  // namespace edgeprobe
