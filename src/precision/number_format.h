// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace edgeprobe::precision {

/// Nearest IEEE 754 binary16 number, ties to even: 11 significant bits, denormal below 2^-14,
/// infinite from 65520 on. NaN stays NaN.
inline float to_float16(float value) {
  constexpr float kDenormal = 0x1p-14F, kInfiniteFrom = 65520.0F;
  // Adding .75 leaves no bit below 2^-24, the step of binary16's denormal numbers.
  const float denormal = (value + 0.75F) - 0.75F;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  bits += 0xfffU + ((bits >> 13) & 1U);
  const float normal = std::bit_cast<float>(bits & 0xffffe000U);
  const float size = std::fabs(value);
  const float finite = size < kDenormal ? std::copysign(denormal, value) : normal;
  return size < kInfiniteFrom ? finite : value * std::numeric_limits<float>::infinity();
}

/// Nearest bfloat16 number, ties to even: 8 significant bits, the range of float32.
inline float to_bfloat16(float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  bits += 0x7fffU + ((bits >> 16) & 1U);
  const float rounded = std::bit_cast<float>(bits & 0xffff0000U);
  return value == value ? rounded : value;
}

/// How a device computes a float model.
enum class Scheme {
  kFloat16,      ///< Stores tensors and weights in binary16, adds up in float32.
  kFloat16Sums,  ///< The same, and every sum is kept in binary16, one term after the other.
  kBFloat16,     ///< Stores tensors and weights in bfloat16, adds up in float32.
};
/// "float16", "float16-sums", "bfloat16".
constexpr const char* name(Scheme scheme) {
  switch (scheme) {
    case Scheme::kFloat16: return "float16";
    case Scheme::kFloat16Sums: return "float16-sums";
    case Scheme::kBFloat16: break;
  }
  return "bfloat16";
}
inline float rounded(Scheme scheme, float value) {
  return scheme == Scheme::kBFloat16 ? to_bfloat16(value) : to_float16(value);
}
/// Largest finite number of what the scheme stores.
constexpr double largest(Scheme scheme) {
  return scheme == Scheme::kBFloat16 ? 3.3895313892515355e38 : 65504.0;
}

}  // namespace edgeprobe::precision
