// SPDX-License-Identifier: Apache-2.0
#include "engine/stretch/nan.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace edgeprobe::engine::stretch {
namespace {

template <class Stored, class IsNan>
bool any(ByteView bytes, const IsNan& is_nan) {
  for (std::size_t i = 0; i + sizeof(Stored) <= bytes.size; i += sizeof(Stored)) {
    Stored value{};
    std::memcpy(&value, bytes.data + i, sizeof value);
    if (is_nan(value)) return true;
  }
  return false;
}

}  // namespace

bool has_nan(DType dtype, ByteView bytes) {
  switch (dtype) {
    case DType::kFloat32: return any<float>(bytes, [](float value) { return std::isnan(value); });
    case DType::kFloat64: return any<double>(bytes, [](double value) { return std::isnan(value); });
    // The exponent is all ones, and the value is not infinity.
    case DType::kFloat16:
      return any<std::uint16_t>(bytes, [](std::uint16_t bits) { return (bits & 0x7fff) > 0x7c00; });
    case DType::kBFloat16:
      return any<std::uint16_t>(bytes, [](std::uint16_t bits) { return (bits & 0x7fff) > 0x7f80; });
    default: return false;
  }
}

}  // namespace edgeprobe::engine::stretch
