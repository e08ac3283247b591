// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace edgeprobe::precision {

/// Nearest IEEE 754 binary16 number, ties to even: 11 significant bits, denormal below 2^-14,
/// infinite from 65520 on. NaN stays NaN. In integers, which compilers put into vector lanes.
inline float to_float16(float value) {
  constexpr std::uint32_t kSign = 0x80000000U, kInfinity = 0x7f800000U;
  constexpr std::uint32_t kDenormal = std::bit_cast<std::uint32_t>(0x1p-14F);
  constexpr std::uint32_t kInfiniteFrom = std::bit_cast<std::uint32_t>(65520.0F);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits & kSign, size = bits & ~kSign;
  // Adding .75 leaves no bit below 2^-24, the step of binary16's denormal numbers.
  const float moved = (std::bit_cast<float>(size) + 0.75F) - 0.75F;
  const std::uint32_t denormal = std::bit_cast<std::uint32_t>(moved);
  const std::uint32_t normal = (size + 0xfffU + ((size >> 13) & 1U)) & 0xffffe000U;
  const std::uint32_t finite = size < kDenormal ? denormal : normal;
  const std::uint32_t large = size > kInfinity ? size : kInfinity;
  return std::bit_cast<float>(sign | (size < kInfiniteFrom ? finite : large));
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
