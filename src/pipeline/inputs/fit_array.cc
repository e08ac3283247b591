// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "core/integer_limits.h"
#include "core/text.h"
#include "pipeline/inputs/feed.h"

namespace edgeprobe::pipeline {
namespace {

Error unlike(const TensorSpec& given, const TensorSpec& wanted, const std::string& advice) {
  return {ErrorKind::kUsage, "input '" + sanitized(wanted.name, 100) + "': expected " +
                                 described(wanted) + ", found " + described(given) + advice};
}

Shape fitted(Shape shape, const Shape& wanted) {
  if (shape.size() == wanted.size() + 1 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() + 1 == wanted.size() && wanted.front() == 1) shape.insert(shape.begin(), 1);
  return shape;
}

// NaN comes from a broken step; infinities are intended in masks.
Status no_nan(const Tensor& given, const TensorSpec& wanted) {
  if (!is_float(given.spec.dtype)) return {};
  EP_TRY(const auto values, to_float(given));
  const auto wrong = [](float value) { return std::isnan(value); };
  const auto first = std::find_if(values.begin(), values.end(), wrong);
  if (first == values.end()) return {};
  return Error{ErrorKind::kUsage, "input '" + sanitized(wanted.name, 100) + "' holds " +
                                      std::to_string(std::count_if(first, values.end(), wrong)) +
                                      " NaN, the first at offset " +
                                      std::to_string(first - values.begin())};
}

template <class T>
std::optional<std::vector<std::int64_t>> read_whole(const Bytes& bytes) {
  std::vector<std::int64_t> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value{};
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof value);
    if constexpr (std::is_same_v<T, std::uint64_t>)
      if (value > std::uint64_t(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    values[i] = static_cast<std::int64_t>(value);
  }
  return values;
}

std::optional<std::vector<std::int64_t>> whole_numbers(const Tensor& tensor) {
  switch (tensor.spec.dtype) {
    case DType::kInt8: return read_whole<std::int8_t>(tensor.bytes);
    case DType::kUInt8:
    case DType::kBool: return read_whole<std::uint8_t>(tensor.bytes);
    case DType::kInt16: return read_whole<std::int16_t>(tensor.bytes);
    case DType::kUInt16: return read_whole<std::uint16_t>(tensor.bytes);
    case DType::kInt32: return read_whole<std::int32_t>(tensor.bytes);
    case DType::kUInt32: return read_whole<std::uint32_t>(tensor.bytes);
    case DType::kInt64: return read_whole<std::int64_t>(tensor.bytes);
    case DType::kUInt64: return read_whole<std::uint64_t>(tensor.bytes);
    default: return std::nullopt;
  }
}

/// Numbers are little-endian in memory.
void put(Bytes& bytes, std::size_t index, std::size_t width, std::int64_t value) {
  std::memcpy(bytes.data() + index * width, &value, width);
}

Result<Tensor> as_whole(const Tensor& given, const TensorSpec& wanted) {
  const auto values = whole_numbers(given);
  const auto limits = integer_limits(wanted.dtype);
  if (!values || !limits) return unlike(given.spec, wanted, "");
  const std::size_t width = size_of(wanted.dtype);
  Tensor tensor{wanted, Bytes(values->size() * width)};
  for (std::size_t i = 0; i < values->size(); ++i) {
    const std::int64_t value = (*values)[i];
    if (value < limits->least || value > limits->most)
      return unlike(given.spec, wanted, ", whose value " + std::to_string(value) + " does not fit");
    put(tensor.bytes, i, width, value);
  }
  return tensor;
}

Result<Tensor> quantized(const Tensor& given, const TensorSpec& wanted) {
  const auto limits = integer_limits(wanted.dtype);
  const auto values = to_float(given);
  if (!values || !limits || size_of(wanted.dtype) > 2 || wanted.quantization.per_channel())
    return unlike(given.spec, wanted, "");
  const float scale = wanted.quantization.scale[0];
  const double zero = double(wanted.quantization.zero_point_at(0));
  const std::size_t width = size_of(wanted.dtype);
  Tensor tensor{wanted, Bytes(values->size() * width)};
  for (std::size_t i = 0; i < values->size(); ++i) {
    // In float32, like TFLite's QUANTIZE and a recipe's quantize(): double would round exact halves
    // differently.
    const double code = std::clamp(double(std::round((*values)[i] / scale)) + zero,
                                   double(limits->least), double(limits->most));
    put(tensor.bytes, i, width, static_cast<std::int64_t>(code));
  }
  return tensor;
}

template <class T>
double read_float(const Bytes& bytes, std::size_t index) {
  T value{};
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof value);
  return double(value);
}

Result<Tensor> as_float(const Tensor& given, const TensorSpec& wanted) {
  EP_TRY(const auto values, to_float(given));
  Tensor tensor{wanted, Bytes(values.size() * size_of(wanted.dtype))};
  const bool wide = given.spec.dtype == DType::kFloat64 && given.spec.quantization.empty();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float value = values[i];
    if (wanted.dtype == DType::kFloat32) {
      std::memcpy(tensor.bytes.data() + i * sizeof value, &value, sizeof value);
    } else if (wanted.dtype == DType::kFloat64) {
      const double exact = wide ? read_float<double>(given.bytes, i) : double(value);
      std::memcpy(tensor.bytes.data() + i * sizeof exact, &exact, sizeof exact);
    } else if (wanted.dtype == DType::kFloat16) {
      const std::uint16_t half = float_to_half(value);
      std::memcpy(tensor.bytes.data() + i * sizeof half, &half, sizeof half);
    } else {
      return unlike(given.spec, wanted, "");
    }
  }
  return tensor;
}

}  // namespace

Status check_array(const TensorSpec& given, const TensorSpec& wanted) {
  if (wanted.dtype == DType::kOther)
    return Error{ErrorKind::kUnsupported,
                 "input '" + sanitized(wanted.name, 100) +
                     "' takes no numbers (texts, a sequence or a map), which cannot be given"};
  if (fitted(given.shape, wanted.shape) != wanted.shape) return unlike(given, wanted, "");
  const bool real = is_float(given.dtype) || !given.quantization.empty();
  if (given.dtype == wanted.dtype) return {};
  const std::string cast = ": save it with .astype(numpy." + std::string(name(wanted.dtype)) + ")";
  if (is_float(wanted.dtype) && !real)
    return unlike(given, wanted,
                  given.dtype == DType::kUInt8
                      ? cast + ", or let a recipe make it of a picture (--recipe '" +
                            sanitized(wanted.name, 60) + ": resize(…) | …')"
                      : cast);
  if (!is_float(wanted.dtype) && !wanted.quantization.empty() && !real)
    return unlike(given, wanted, ": give real numbers (float32) or codes of its own type");
  if (!is_float(wanted.dtype) && wanted.quantization.empty() && is_float(given.dtype))
    return unlike(given, wanted, cast);
  return {};
}

Result<Tensor> fit_array(const Tensor& given, const TensorSpec& wanted) {
  EP_CHECK(check_array(given.spec, wanted));
  EP_CHECK(no_nan(given, wanted));
  const bool codes = !wanted.quantization.empty() && !is_float(wanted.dtype);
  const bool scaled = !given.spec.quantization.empty();
  if (given.spec.dtype == wanted.dtype &&
      (!scaled || !codes || given.spec.quantization == wanted.quantization)) {
    if (given.bytes.size() != wanted.byte_size()) return unlike(given.spec, wanted, "");
    Tensor tensor{wanted, given.bytes};
    // An engine may not know a scale that is stored in the operator after its input.
    if (wanted.quantization.empty()) tensor.spec.quantization = given.spec.quantization;
    return tensor;
  }
  if (is_float(wanted.dtype)) return as_float(given, wanted);
  if (codes) return quantized(given, wanted);
  return as_whole(given, wanted);
}

Tensor zeros(const TensorSpec& spec) {
  Tensor tensor{spec, Bytes(spec.byte_size().value_or(0))};
  if (spec.quantization.empty() || is_float(spec.dtype)) return tensor;
  const std::size_t width = size_of(spec.dtype);
  if (width == 0 || width > 8) return tensor;
  for (std::size_t i = 0; i * width < tensor.bytes.size(); ++i)
    put(tensor.bytes, i, width, spec.quantization.zero_point_at(0));
  return tensor;
}

}  // namespace edgeprobe::pipeline
