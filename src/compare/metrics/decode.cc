// SPDX-License-Identifier: Apache-2.0
#include "compare/metrics/decode.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace edgeprobe::compare {
namespace {

template <class T>
void convert(const std::byte* data, std::size_t first, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    T value;
    std::memcpy(&value, data + (first + i) * sizeof(T), sizeof(T));
    out[i] = static_cast<float>(value);
  }
}

template <float (*kToFloat)(std::uint16_t)>
void convert_bits(const std::byte* data, std::size_t first, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, data + (first + i) * 2, 2);
    out[i] = kToFloat(bits);
  }
}

void convert_int4(const std::byte* data, std::size_t first, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = first + i;
    const auto byte = static_cast<unsigned>(data[at / 2]);
    const int nibble = static_cast<int>((at % 2 ? byte >> 4 : byte) & 15u);
    out[i] = static_cast<float>(nibble >= 8 ? nibble - 16 : nibble);
  }
}

}  // namespace

Result<Decoder> Decoder::open(const TensorView& tensor) {
  const TensorSpec& spec = *tensor.spec;
  const auto count = element_count(spec.shape);
  const auto size = spec.byte_size();
  if (spec.dtype == DType::kOther || !count || !size)
    return Error{ErrorKind::kUnsupported, "tensor of " + std::string(name(spec.dtype)) + " " +
                                              to_text(spec.shape) + " has no plain values"};
  if (tensor.bytes.size != *size)
    return Error{ErrorKind::kCorrupt, "tensor holds " + std::to_string(tensor.bytes.size) +
                                          " bytes, its shape " + to_text(spec.shape) + " of " +
                                          name(spec.dtype) + " needs " + std::to_string(*size)};
  const Quantization& q = spec.quantization;
  const bool quantised = is_integer(spec.dtype) && !q.empty();
  if (quantised && q.per_channel()) {
    const bool axis_fits = q.axis >= 0 && static_cast<std::size_t>(q.axis) < spec.shape.size();
    const bool zeros_fit = q.zero_point.size() <= 1 || q.zero_point.size() == q.scale.size();
    if (!axis_fits || !zeros_fit ||
        static_cast<std::size_t>(spec.shape[static_cast<std::size_t>(q.axis)]) != q.scale.size())
      return Error{ErrorKind::kCorrupt, "per-channel quantisation with " +
                                            std::to_string(q.scale.size()) + " scales on axis " +
                                            std::to_string(q.axis) + " does not fit shape " +
                                            to_text(spec.shape)};
  }
  Decoder decoder;
  decoder.tensor_ = tensor;
  decoder.count_ = *count;
  const bool plain = !quantised || !q.per_channel();
  const bool element =
      spec.dtype == DType::kFloat32 || spec.dtype == DType::kInt8 || spec.dtype == DType::kUInt8;
  decoder.direct_ = plain && element;
  if (decoder.direct_) {
    decoder.whole_.data = tensor.bytes.data;
    decoder.whole_.element = spec.dtype == DType::kFloat32 ? Element::kFloat32
                             : spec.dtype == DType::kInt8  ? Element::kInt8
                                                           : Element::kUInt8;
    if (quantised) {
      decoder.whole_.scale = q.scale[0];
      decoder.whole_.zero = static_cast<float>(q.zero_point_at(0));
    }
  }
  return decoder;
}

void Decoder::read(std::size_t first, std::size_t n, float* out) const {
  const std::byte* data = tensor_.bytes.data;
  const TensorSpec& spec = *tensor_.spec;
  switch (spec.dtype) {
    case DType::kFloat32:
      if (n > 0) std::memcpy(out, data + first * 4, n * 4);
      break;
    case DType::kFloat16: convert_bits<half_to_float>(data, first, n, out); break;
    case DType::kBFloat16: convert_bits<bfloat16_to_float>(data, first, n, out); break;
    case DType::kFloat64: convert<double>(data, first, n, out); break;
    case DType::kInt8: convert<std::int8_t>(data, first, n, out); break;
    case DType::kUInt8:
    case DType::kBool: convert<std::uint8_t>(data, first, n, out); break;
    case DType::kInt16: convert<std::int16_t>(data, first, n, out); break;
    case DType::kUInt16: convert<std::uint16_t>(data, first, n, out); break;
    case DType::kInt32: convert<std::int32_t>(data, first, n, out); break;
    case DType::kUInt32: convert<std::uint32_t>(data, first, n, out); break;
    case DType::kInt64: convert<std::int64_t>(data, first, n, out); break;
    case DType::kUInt64: convert<std::uint64_t>(data, first, n, out); break;
    case DType::kInt4: convert_int4(data, first, n, out); break;
    case DType::kOther: break;  // rejected by open()
  }
  const Quantization& q = spec.quantization;
  if (q.empty() || !is_integer(spec.dtype)) return;
  if (!q.per_channel()) {
    const float zero = static_cast<float>(q.zero_point_at(0)), scale = q.scale[0];
    for (std::size_t i = 0; i < n; ++i) out[i] = (out[i] - zero) * scale;
    return;
  }
  std::size_t inner = 1;
  for (std::size_t d = static_cast<std::size_t>(q.axis) + 1; d < spec.shape.size(); ++d)
    inner *= static_cast<std::size_t>(spec.shape[d]);
  for (std::size_t i = 0; i < n;) {
    const std::size_t channel = (first + i) / inner % q.scale.size();
    const float zero = static_cast<float>(q.zero_point_at(channel)), scale = q.scale[channel];
    const std::size_t run = std::min(n - i, inner - (first + i) % inner);
    for (const std::size_t end = i + run; i < end; ++i) out[i] = (out[i] - zero) * scale;
  }
}

}  // namespace edgeprobe::compare
