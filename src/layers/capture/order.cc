// SPDX-License-Identifier: Apache-2.0
#include "layers/capture/order.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "compare/align/layout.h"
#include "core/index.h"
#include "core/text.h"
#include "layers/pairing/values.h"

namespace edgeprobe::layers {
namespace {

std::vector<int> inverse(const std::vector<int>& permutation) {
  std::vector<int> back(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    back[at(permutation[i])] = static_cast<int>(i);
  return back;
}

Result<std::vector<float>> moved(std::vector<float> values, const Shape& shape,
                                 const std::vector<int>& permutation) {
  if (permutation.empty()) return values;
  if (element_count(shape) != values.size())
    return Error{ErrorKind::kUnsupported, "a tensor has " + std::to_string(values.size()) +
                                              " values, its partner's shape is " + to_text(shape)};
  const Tensor tensor = make_tensor("", shape, values);
  EP_TRY(const auto other, compare::transposed(tensor, permutation));
  return to_float(other);
}

template <class T>
Bytes whole(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T number = static_cast<T>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &number, sizeof(T));
  }
  return bytes;
}

// Returns nothing for types that cannot hold integers up to `largest`.
std::optional<Bytes> whole_numbers(DType dtype, const std::vector<float>& values, float largest,
                                   bool negative) {
  switch (dtype) {
    case DType::kBool:
    case DType::kUInt8:
      if (negative || largest > 255) return std::nullopt;
      return whole<std::uint8_t>(values);
    case DType::kInt32: return whole<std::int32_t>(values);
    case DType::kInt64: return whole<std::int64_t>(values);
    default: return std::nullopt;
  }
}

}  // namespace

Result<Tensor> handed_on(const TensorSpec& spec, const Shape& shape,
                         const std::vector<float>& values) {
  if (!spec.quantization.empty() || !(is_integer(spec.dtype) || spec.dtype == DType::kBool))
    return stored_as(spec, shape, values);
  constexpr float kExact = 16777216;  // Above it a float32 cannot represent all integers.
  float largest = 0;
  bool negative = false;
  for (const float value : values) {
    if (!(std::fabs(value) <= kExact) || std::nearbyint(value) != value)
      return Error{ErrorKind::kUnsupported,
                   "'" + sanitized(spec.name, 60) + "' holds whole numbers, not " + number(value)};
    largest = std::max(largest, value);
    negative = negative || value < 0;
  }
  auto bytes = whole_numbers(spec.dtype, values, largest, negative);
  if (!bytes)
    return Error{ErrorKind::kUnsupported, "'" + sanitized(spec.name, 60) + "' is " +
                                              name(spec.dtype) + ": it is not handed on"};
  Tensor tensor{spec, *std::move(bytes)};
  tensor.spec.shape = shape;
  return tensor;
}

Shape shape_in_target(const Shape& reference, const std::vector<int>& permutation) {
  return permutation.size() == reference.size()
             ? shape_in_reference(reference, inverse(permutation))
             : reference;
}

Shape shape_in_reference(const Shape& target, const std::vector<int>& permutation) {
  if (permutation.size() != target.size()) return target;
  Shape shape;
  for (const int axis : permutation) shape.push_back(target[at(axis)]);
  return shape;
}

Result<std::vector<float>> in_target_order(std::vector<float> reference, const Shape& shape,
                                           const std::vector<int>& permutation) {
  return moved(std::move(reference), shape, inverse(permutation));
}

Result<std::vector<float>> in_reference_order(std::vector<float> target, const Shape& shape,
                                              const std::vector<int>& permutation) {
  return moved(std::move(target), shape_in_target(shape, permutation), permutation);
}

}  // namespace edgeprobe::layers
