// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::compare {

struct Kernels;

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
  /// The same for a part of a tensor of float32 without quantisation, by these loops.
  void add_floats(const Kernels& set, const std::byte* floats, std::size_t n);
  void merge(const KindCounts& other);
  bool operator==(const KindCounts& other) const = default;
  /// True if all counts but `values` are 0.
  bool ordinary() const {
    return nan == 0 && infinite == 0 && denormal == 0 && saturated == 0 && beyond_float16 == 0;
  }
};

/// The kinds of the values of both sides.
struct PairKinds {
  KindCounts reference, target;
};

/// True for codes of 8 or 16 bits that all represent numbers within float16: only those at the ends
/// of their range count.
bool count_only_ends(const TensorSpec& spec);

}  // namespace edgeprobe::compare
