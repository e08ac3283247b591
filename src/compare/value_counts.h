// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "core/tensor.h"
#include "trace/read/reader.h"

namespace edgeprobe::compare {

/// How many values of a tensor are of a kind that loses or breaks something.
struct ValueCounts {
  std::uint64_t values = 0;
  std::uint64_t nan = 0, infinite = 0, zeros = 0;
  /// Below the smallest normal number of its own type, and not 0: slow, and 0 on many devices.
  std::uint64_t denormal = 0;
  /// Codes at an end of 8 or 16 bits; float16 values of 65504: what was cut off lies there.
  std::uint64_t saturated = 0;
  std::uint64_t beyond_float16 = 0;  ///< Finite, and larger than 65504 in size.
  /// Of the finite values, dequantised; nothing without any.
  std::optional<double> least, most;

  /// Fails like to_float().
  Status add(const TensorView& tensor);
};

/// Over all frames, by channel of the reader; nothing for channels that hold no plain numbers
/// (camera frames, pictures as files). kInterrupted when stopped, kCorrupt when a frame cannot be
/// read.
Result<std::vector<std::optional<ValueCounts>>> value_counts(const trace::Reader& reader,
                                                             const Control& control);

}  // namespace edgeprobe::compare
