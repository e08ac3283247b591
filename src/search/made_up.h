// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/tensor.h"

/// Synthetic frames, derived from recorded ones: on which of them would two recipes give different
/// answers?
namespace edgeprobe::search {

/// Stored numbers of a tensor, which can be changed. Numbers out of the type's range are clamped.
class StoredNumbers {
 public:
  explicit StoredNumbers(const Tensor& tensor);
  std::size_t size() const { return values_.size(); }
  float& operator[](std::size_t i) { return values_[i]; }
  float operator[](std::size_t i) const { return values_[i]; }
  bool are_real() const { return tensor_.spec.dtype == DType::kFloat32; }

  /// The tensor with the current numbers; unchanged if its type is unusual for an output or input.
  Tensor tensor() const;

 private:
  Tensor tensor_;
  std::vector<float> values_;
};

/// Replaces every k-th number by a pseudo-random one in 0..1.
double scattered(std::size_t k);

}  // namespace edgeprobe::search
