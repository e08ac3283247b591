// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe::audio {

/// How the samples of a file are stored; little-endian unless `big`.
struct Stored {
  enum class Type { kUnsigned, kSigned, kFloat } type = Type::kSigned;
  int bytes = 2;  ///< Of one sample: 1 to 4, and 4 or 8 for kFloat.
  bool big = false;
};

/// All samples in units of 16-bit ones; trailing bytes of a cut sample are left out.
std::vector<float> samples_of(ByteView bytes, const Stored& stored);

}  // namespace edgeprobe::audio
