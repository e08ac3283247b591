// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "compare/metrics/kernel.h"
#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::compare {

/// Reads a tensor as real numbers in pieces, so that no copy of the whole is needed. Values equal
/// to_float().
class Decoder {
 public:
  /// Fails like to_float(). The tensor must outlive the decoder.
  static Result<Decoder> open(const TensorView& tensor);

  std::size_t count() const { return count_; }
  /// True if the kernels can read the stored elements directly.
  bool direct() const { return direct_; }
  /// Elements from `first` on; requires direct().
  Operand operand(std::size_t first) const { return whole_.from(first); }
  /// Elements [first, first + n) as float.
  void read(std::size_t first, std::size_t n, float* out) const;

 private:
  TensorView tensor_;
  std::size_t count_ = 0;
  bool direct_ = false;
  Operand whole_;
};

}  // namespace edgeprobe::compare
