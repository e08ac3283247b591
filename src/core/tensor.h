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
  std::vector<std::int64_t> zero_point;  ///< One per scale, or a single one for all.
  int axis = 0;                          ///< Used only if there is more than one scale.

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

/// Describes a tensor without its values.
struct TensorSpec {
  std::string name;  ///< The name that the model or the app uses; untrusted text.
  DType dtype = DType::kFloat32;
  Shape shape;  ///< Row-major, outermost dimension first.
  Quantization quantization;

  /// Bytes of the values; nullopt if a dimension is open or the product overflows.
  std::optional<std::size_t> byte_size() const;
};

/// A dense tensor that owns its values (row-major, little-endian).
struct Tensor {
  TensorSpec spec;
  Bytes bytes;
};

/// A dense tensor that borrows its values; both pointers must outlive it.
struct TensorView {
  const TensorSpec* spec = nullptr;
  ByteView bytes;

  TensorView() = default;
  TensorView(const TensorSpec& s, ByteView b) : spec(&s), bytes(b) {}
  TensorView(const Tensor& tensor) : spec(&tensor.spec), bytes(tensor.bytes) {}
  Tensor copy() const { return {*spec, bytes.copy()}; }
};

/// The values as real numbers: dequantised if the tensor is quantised, else converted. Fails with
/// kUnsupported for dtypes that are not numeric, with kCorrupt if the byte count does not match the
/// shape.
Result<std::vector<float>> to_float(const TensorView& tensor);

/// The stored values as float without dequantisation (int8 code -128 becomes -128.f).
Result<std::vector<float>> stored_as_float(const TensorView& tensor);

/// Makes a float32 tensor. `values` must match the shape.
Tensor make_tensor(std::string name, Shape shape, const std::vector<float>& values);

}  // namespace edgeprobe
