// SPDX-License-Identifier: Apache-2.0
#include "engine/kenning/tensors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/codec.h"
#include "core/text.h"

namespace edgeprobe::engine::kenning {
namespace {

/// Fraction of a step by which a code is moved away from zero before it is sent as a real value, so
/// that a server that rounds and one that truncates in float32 both get the same code.
constexpr double kWithinStep = 0.25;

bool has_one_scale(const TensorSpec& spec) {
  const Quantization& quantization = spec.quantization;
  return !quantization.empty() && !quantization.per_channel() && quantization.scale[0] > 0;
}

template <class T>
void to_floats(const TensorView& tensor, ByteWriter& out) {
  const double scale = tensor.spec->quantization.scale_at(0);
  const auto zero = static_cast<double>(tensor.spec->quantization.zero_point_at(0));
  for (std::size_t i = 0; i + sizeof(T) <= tensor.bytes.size; i += sizeof(T)) {
    const double code = load_little<T>(tensor.bytes.data + i);
    out.number(static_cast<float>((code + std::copysign(kWithinStep, code) - zero) * scale));
  }
}

template <class T>
void to_codes(ByteView floats, const TensorSpec& spec, Bytes& codes) {
  const double scale = spec.quantization.scale_at(0);
  const auto zero = static_cast<double>(spec.quantization.zero_point_at(0));
  for (std::size_t i = 0; i < codes.size() / sizeof(T); ++i) {
    const double real = load_little<float>(floats.data + i * sizeof(float));
    const double code = std::nearbyint(real / scale + zero);
    const double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    const T stored = std::isnan(code) ? T{} : static_cast<T>(std::clamp(code, low, high));
    store_little(codes.data() + i * sizeof(T), stored);
  }
}

/// Calls `work` with a value of `dtype`'s integer type; false for other types.
template <class Work>
bool with_integer(DType dtype, Work work) {
  switch (dtype) {
    case DType::kInt8: work(std::int8_t{}); return true;
    case DType::kUInt8: work(std::uint8_t{}); return true;
    case DType::kInt16: work(std::int16_t{}); return true;
    default: return false;
  }
}

std::size_t travelling_bytes(const TensorSpec& spec, Travel travel) {
  const auto elements = element_count(spec.shape);
  return travel == Travel::kAsFloats ? elements.value_or(0) * sizeof(float)
                                     : spec.byte_size().value_or(0);
}

/// Resolves open dimensions from the total size of all outputs.
void close_dimensions(std::vector<TensorSpec>& specs, std::size_t bytes, Travel travel) {
  TensorSpec* open = nullptr;
  std::size_t place = 0, others = 0;
  for (TensorSpec& spec : specs) {
    for (std::size_t i = 0; i < spec.shape.size(); ++i) {
      if (spec.shape[i] >= 0) continue;
      if (!open) place = i;
      open = open ? open : &spec;
      spec.shape[i] = 1;
    }
  }
  for (const TensorSpec& spec : specs)
    if (&spec != open) others += travelling_bytes(spec, travel);
  if (!open || bytes < others) return;
  const std::size_t one = travelling_bytes(*open, travel);
  if (one > 0 && (bytes - others) % one == 0)
    open->shape[place] = static_cast<std::int64_t>((bytes - others) / one);
}

}  // namespace

Status check_travel(const std::vector<TensorSpec>& specs, Travel travel) {
  for (const TensorSpec& spec : specs) {
    if (size_of(spec.dtype) == 0)
      return Error{ErrorKind::kUnsupported, "'" + sanitized(spec.name, 60) + "' is of dtype " +
                                                name(spec.dtype) + ", which cannot be sent"};
    if (travel == Travel::kAsTheyAre || spec.dtype == DType::kFloat32) continue;
    if (!with_integer(spec.dtype, [](auto) {}) || !has_one_scale(spec))
      return Error{
          ErrorKind::kUnsupported,
          "'" + sanitized(spec.name, 60) + "' is " + name(spec.dtype) +
              " without a single scale; a server of g1 takes and returns only real numbers"};
  }
  return {};
}

Result<Bytes> join(const std::vector<TensorView>& inputs, Travel travel) {
  ByteWriter out;
  for (const TensorView& input : inputs) {
    if (travel == Travel::kAsTheyAre || input.spec->dtype == DType::kFloat32) {
      out.append(input.bytes);
      continue;
    }
    EP_CHECK(check_travel({*input.spec}, travel));
    with_integer(input.spec->dtype, [&](auto zero) { to_floats<decltype(zero)>(input, out); });
  }
  return std::move(out).bytes();
}

Result<std::vector<Tensor>> split(ByteView payload, const std::vector<TensorSpec>& specs,
                                  Travel travel) {
  std::vector<TensorSpec> closed = specs;
  close_dimensions(closed, payload.size, travel);
  std::size_t expected = 0;
  for (const TensorSpec& spec : closed) expected += travelling_bytes(spec, travel);
  if (payload.size != expected)
    return Error{ErrorKind::kTarget, "OUTPUT has " + std::to_string(payload.size) +
                                         " bytes; the model's outputs take " +
                                         std::to_string(expected)};
  std::vector<Tensor> tensors;
  for (TensorSpec& spec : closed) {
    const std::size_t size = travelling_bytes(spec, travel);
    const ByteView values = payload.sub(0, size);
    payload = payload.sub(size, payload.size - size);
    Tensor tensor;
    tensor.spec = std::move(spec);
    if (travel == Travel::kAsTheyAre || tensor.spec.dtype == DType::kFloat32) {
      tensor.bytes = values.copy();
    } else {
      EP_CHECK(check_travel({tensor.spec}, travel));
      tensor.bytes.resize(tensor.spec.byte_size().value_or(0));
      with_integer(tensor.spec.dtype,
                   [&](auto zero) { to_codes<decltype(zero)>(values, tensor.spec, tensor.bytes); });
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace edgeprobe::engine::kenning
