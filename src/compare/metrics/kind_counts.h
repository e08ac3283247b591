// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::compare {

/// Counts of values that lose or break something.
struct KindCounts {
  std::uint64_t values = 0;
  std::uint64_t nan = 0, infinite = 0;
  /// Number of values below the smallest normal number of their type, except 0. They are slow, and
  /// flushed to 0 on many devices.
  std::uint64_t denormal = 0;
  /// Number of codes at an end of their 8-bit or 16-bit range, and of float16 values of 65504.
  /// Clipped values end up there.
  std::uint64_t saturated = 0;
  /// Number of finite values larger than 65504 in absolute value.
  std::uint64_t beyond_float16 = 0;

  /// Fails like to_float().
  Status add(const TensorView& tensor);
  void merge(const KindCounts& other);
  /// True if all counts but `values` are 0.
  bool ordinary() const {
    return nan == 0 && infinite == 0 && denormal == 0 && saturated == 0 && beyond_float16 == 0;
  }
};

}  // namespace edgeprobe::compare
