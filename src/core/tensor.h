// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/dtype.h"
#include "core/result.h"
#include "core/shape.h"

namespace edgeprobe {

/// Affine quantisation: real = scale * (stored - zero_point). Empty scale: not quantised.
/// One entry for the whole tensor, or one for each index along `axis`.
struct Quantization {
  std::vector<float> scale;
  std::vector<std::int64_t> zero_point;  ///< As many as scales; a single one stands for all.
  int axis = 0;                          ///< Meaningful when there is more than one scale.

  bool empty() const { return scale.empty(); }
  bool per_channel() const { return scale.size() > 1; }
  float scale_at(std::size_t channel) const { return scale[per_channel() ? channel : 0]; }
  std::int64_t zero_point_at(std::size_t channel) const {
    if (zero_point.empty()) return 0;
    return zero_point[zero_point.size() > 1 ? channel : 0];
  }
  bool operator==(const Quantization& other) const {
    return scale == other.scale && zero_point == other.zero_point && axis == other.axis;
  }
};

/// What a tensor is, without its values.
struct TensorSpec {
  std::string name;  ///< As the model or the app calls it; untrusted text.
  DType dtype = DType::kFloat32;
  Shape shape;  ///< Row-major, outermost dimension first.
  Quantization quantization;

  /// Bytes of the values; nothing when a dimension is open or the product overflows.
  std::optional<std::size_t> byte_size() const;
};

/// A dense tensor that owns its values (row-major, little-endian).
struct Tensor {
  TensorSpec spec;
  Bytes bytes;
};

/// A dense tensor whose values live elsewhere; both pointers must outlive it.
struct TensorView {
  const TensorSpec* spec = nullptr;
  ByteView bytes;

  TensorView() = default;
  TensorView(const TensorSpec& s, ByteView b) : spec(&s), bytes(b) {}
  TensorView(const Tensor& tensor) : spec(&tensor.spec), bytes(tensor.bytes) {}
  Tensor copy() const { return {*spec, bytes.copy()}; }
};

/// The values as real numbers: dequantised when the tensor is quantised, converted otherwise.
/// Fails with kUnsupported for dtypes that are no numbers, with kCorrupt when the byte count does
/// not fit the shape.
Result<std::vector<float>> to_float(const TensorView& tensor);

/// The stored values as float without dequantisation (int8 code -128 becomes -128.f).
Result<std::vector<float>> stored_as_float(const TensorView& tensor);

/// A float32 tensor from values. The caller's shape must hold that many.
Tensor make_tensor(std::string name, Shape shape, const std::vector<float>& values);

}  // namespace edgeprobe
