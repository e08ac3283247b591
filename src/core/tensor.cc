// SPDX-License-Identifier: Apache-2.0
#include "core/tensor.h"

#include <cstring>
#include <limits>

namespace edgeprobe {
namespace {

template <class T>
void convert(ByteView bytes, std::vector<float>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data + i * sizeof(T), sizeof(T));
    out[i] = static_cast<float>(value);
  }
}

template <float (*kToFloat)(std::uint16_t)>
void convert_bits(ByteView bytes, std::vector<float>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, bytes.data + i * 2, 2);
    out[i] = kToFloat(bits);
  }
}

void convert_int4(ByteView bytes, std::vector<float>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes.data[i / 2]);
    const int nibble = (i % 2 ? byte >> 4 : byte) & 15;
    out[i] = static_cast<float>(nibble >= 8 ? nibble - 16 : nibble);
  }
}

}  // namespace

std::optional<std::size_t> TensorSpec::byte_size() const {
  const auto count = element_count(shape);
  if (!count) return std::nullopt;
  if (dtype == DType::kInt4) return (*count + 1) / 2;
  const std::size_t each = size_of(dtype);
  if (each == 0 || *count > std::numeric_limits<std::size_t>::max() / 4 / each) return std::nullopt;
  return *count * each;
}

Result<std::vector<float>> stored_as_float(const TensorView& tensor) {
  const auto count = element_count(tensor.spec->shape);
  const auto size = tensor.spec->byte_size();
  if (!count || !size)
    return Error{ErrorKind::kUnsupported, "tensor of " + std::string(name(tensor.spec->dtype)) +
                                              " " + to_text(tensor.spec->shape) +
                                              " has no plain values"};
  if (tensor.bytes.size != *size)
    return Error{ErrorKind::kCorrupt, "tensor holds " + std::to_string(tensor.bytes.size) +
                                          " bytes, its shape " + to_text(tensor.spec->shape) +
                                          " of " + name(tensor.spec->dtype) + " needs " +
                                          std::to_string(*size)};
  std::vector<float> out(*count);
  switch (tensor.spec->dtype) {
    case DType::kFloat32:
      if (!out.empty()) std::memcpy(out.data(), tensor.bytes.data, *size);
      break;
    case DType::kFloat16: convert_bits<half_to_float>(tensor.bytes, out); break;
    case DType::kBFloat16: convert_bits<bfloat16_to_float>(tensor.bytes, out); break;
    case DType::kFloat64: convert<double>(tensor.bytes, out); break;
    case DType::kInt8: convert<std::int8_t>(tensor.bytes, out); break;
    case DType::kUInt8:
    case DType::kBool: convert<std::uint8_t>(tensor.bytes, out); break;
    case DType::kInt16: convert<std::int16_t>(tensor.bytes, out); break;
    case DType::kUInt16: convert<std::uint16_t>(tensor.bytes, out); break;
    case DType::kInt32: convert<std::int32_t>(tensor.bytes, out); break;
    case DType::kUInt32: convert<std::uint32_t>(tensor.bytes, out); break;
    case DType::kInt64: convert<std::int64_t>(tensor.bytes, out); break;
    case DType::kUInt64: convert<std::uint64_t>(tensor.bytes, out); break;
    case DType::kInt4: convert_int4(tensor.bytes, out); break;
    case DType::kOther: return Error{ErrorKind::kUnsupported, "tensor contains no numbers"};
  }
  return out;
}

Result<std::vector<float>> to_float(const TensorView& tensor) {
  auto values = stored_as_float(tensor);
  const Quantization& q = tensor.spec->quantization;
  if (!values || q.empty() || !is_integer(tensor.spec->dtype)) return values;
  if (q.zero_point.size() > 1 && q.zero_point.size() != q.scale.size())
    return Error{ErrorKind::kCorrupt, std::to_string(q.zero_point.size()) +
                                          " zero points do not fit " +
                                          std::to_string(q.scale.size()) + " scales"};
  if (!q.per_channel()) {
    const auto zero = static_cast<float>(q.zero_point_at(0));
    for (float& value : *values) value = (value - zero) * q.scale[0];
    return values;
  }
  const Shape& shape = tensor.spec->shape;
  if (q.axis < 0 || static_cast<std::size_t>(q.axis) >= shape.size() ||
      static_cast<std::size_t>(shape[static_cast<std::size_t>(q.axis)]) != q.scale.size())
    return Error{ErrorKind::kCorrupt, "per-channel quantisation with " +
                                          std::to_string(q.scale.size()) + " scales on axis " +
                                          std::to_string(q.axis) + " does not fit shape " +
                                          to_text(shape)};
  std::size_t inner = 1;
  for (std::size_t d = static_cast<std::size_t>(q.axis) + 1; d < shape.size(); ++d)
    inner *= static_cast<std::size_t>(shape[d]);
  for (std::size_t i = 0; i < values->size(); ++i) {
    const std::size_t channel = i / inner % q.scale.size();
    (*values)[i] = ((*values)[i] - static_cast<float>(q.zero_point_at(channel))) * q.scale[channel];
  }
  return values;
}

Tensor make_tensor(std::string name, Shape shape, const std::vector<float>& values) {
  Tensor tensor{{std::move(name), DType::kFloat32, std::move(shape), {}},
                Bytes(values.size() * sizeof(float))};
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

}  // namespace edgeprobe
