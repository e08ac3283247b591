// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/tensor.h"

/// Synthetic frames, made of recorded ones: on which of them would two recipes answer
/// differently?
namespace edgeprobe::search {

/// Stored numbers of a tensor, which can be changed. Numbers beyond the type are clamped.
class StoredNumbers {
 public:
  explicit StoredNumbers(const Tensor& tensor);
  std::size_t size() const { return values_.size(); }
  float& operator[](std::size_t i) { return values_[i]; }
  float operator[](std::size_t i) const { return values_[i]; }
  bool are_real() const { return tensor_.spec.dtype == DType::kFloat32; }

  /// The tensor with what the numbers are now; as it was where it has another type than a usual
  /// output or input.
  Tensor tensor() const;

 private:
  Tensor tensor_;
  std::vector<float> values_;
};

/// Every k-th number is another one of 0..1, without a pattern.
double scattered(std::size_t k);

}  // namespace edgeprobe::search
