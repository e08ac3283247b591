// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe::audio {

/// Sample format of a file; little-endian unless `big`.
struct Stored {
  enum class Type { kUnsigned, kSigned, kFloat } type = Type::kSigned;
  int bytes = 2;  ///< Bytes per sample: 1 to 4; for kFloat, 4 or 8.
  bool big = false;
};

/// All samples in 16-bit units; drops trailing bytes of an incomplete sample.
std::vector<float> samples_of(ByteView bytes, const Stored& stored);

}  // namespace edgeprobe::audio
