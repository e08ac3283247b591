// SPDX-License-Identifier: Apache-2.0
#include "trace/export/element.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/text.h"

namespace edgeprobe::trace {
namespace {

template <class T>
T at(ByteView bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data + index * sizeof(T), sizeof(T));
  return value;
}

// Calls `take` with the element as a C++ type that can hold it.
template <class Take>
auto with(const TensorView& tensor, std::size_t index, Take take) {
  const ByteView b = tensor.bytes;
  switch (tensor.spec->dtype) {
    case DType::kFloat32: return take(at<float>(b, index));
    case DType::kFloat16: return take(half_to_float(at<std::uint16_t>(b, index)));
    case DType::kBFloat16: return take(bfloat16_to_float(at<std::uint16_t>(b, index)));
    case DType::kFloat64: return take(at<double>(b, index));
    case DType::kInt8: return take(static_cast<int>(at<std::int8_t>(b, index)));
    case DType::kInt16: return take(at<std::int16_t>(b, index));
    case DType::kUInt16: return take(at<std::uint16_t>(b, index));
    case DType::kInt32: return take(at<std::int32_t>(b, index));
    case DType::kUInt32: return take(at<std::uint32_t>(b, index));
    case DType::kInt64: return take(at<std::int64_t>(b, index));
    case DType::kUInt64: return take(at<std::uint64_t>(b, index));
    case DType::kInt4: {
      const int byte = at<std::uint8_t>(b, index / 2);
      const int nibble = index % 2 ? byte >> 4 : byte & 15;
      return take(nibble >= 8 ? nibble - 16 : nibble);
    }
    case DType::kUInt8:
    case DType::kBool:
    case DType::kOther: break;
  }
  return take(static_cast<int>(at<std::uint8_t>(b, index)));
}

template <class T>
std::string shortest(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return number(static_cast<double>(value));
  }
  std::array<char, 64> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

}  // namespace

std::string stored_text(const TensorView& tensor, std::size_t index) {
  return with(tensor, index, [](auto value) { return shortest(value); });
}

std::optional<std::int64_t> stored_integer(const TensorView& tensor, std::size_t index) {
  return with(tensor, index, [](auto value) -> std::optional<std::int64_t> {
    using T = decltype(value);
    if constexpr (std::is_floating_point_v<T>) return std::nullopt;
    else if constexpr (std::is_same_v<T, std::uint64_t>) {
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return std::nullopt;
      return static_cast<std::int64_t>(value);
    } else {
      return value;
    }
  });
}

double stored_real(const TensorView& tensor, std::size_t index) {
  return with(tensor, index, [](auto value) { return static_cast<double>(value); });
}

std::string text_of(float value) { return shortest(value); }

}  // namespace edgeprobe::trace
