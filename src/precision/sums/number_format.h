// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace edgeprobe::precision {

/// Rounds to the nearest IEEE 754 binary16 number, ties to even: 11 significant bits, subnormal
/// below 2^-14, infinite from 65520 on. NaN stays NaN. Uses integers, so that compilers can
/// vectorise it.
inline float to_float16(float value) {
  constexpr std::uint32_t kSign = 0x80000000U, kInfinity = 0x7f800000U;
  constexpr std::uint32_t kDenormal = std::bit_cast<std::uint32_t>(0x1p-14F);
  constexpr std::uint32_t kInfiniteFrom = std::bit_cast<std::uint32_t>(65520.0F);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits & kSign, size = bits & ~kSign;
  // Adding .75 leaves no bit below 2^-24, the spacing of binary16's subnormal numbers.
  const float moved = (std::bit_cast<float>(size) + 0.75F) - 0.75F;
  const std::uint32_t denormal = std::bit_cast<std::uint32_t>(moved);
  const std::uint32_t normal = (size + 0xfffU + ((size >> 13) & 1U)) & 0xffffe000U;
  const std::uint32_t finite = size < kDenormal ? denormal : normal;
  const std::uint32_t large = size > kInfinity ? size : kInfinity;
  return std::bit_cast<float>(sign | (size < kInfiniteFrom ? finite : large));
}

/// Rounds to the nearest bfloat16 number, ties to even: 8 significant bits, the range of float32.
inline float to_bfloat16(float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  bits += 0x7fffU + ((bits >> 16) & 1U);
  const float rounded = std::bit_cast<float>(bits & 0xffff0000U);
  return value == value ? rounded : value;
}

/// Rounds to the nearest TF32 number, ties away from zero, like NVIDIA's cvt.rna: 11 significant
/// bits, the range of float32. NaN and infinity are unchanged.
inline float to_tf32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::isfinite(value) ? std::bit_cast<float>((bits + 0x1000U) & 0xffffe000U) : value;
}
/// Rounds to the nearest TF32 number, ties to even, like cvt.rn.
inline float to_tf32_even(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::isfinite(value)
             ? std::bit_cast<float>((bits + 0xfffU + ((bits >> 13) & 1U)) & 0xffffe000U)
             : value;
}
/// Truncates to TF32: the effect of products that ignore the last bits of float32.
inline float to_tf32_cut(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::isfinite(value) ? std::bit_cast<float>(bits & 0xffffe000U) : value;
}
/// Signed zero for values that binary16 stores as subnormal numbers.
inline float flushed_float16(float value) {
  const float stored = to_float16(value);
  return std::fabs(stored) < 0x1p-14F ? std::copysign(0.0F, stored) : stored;
}

/// How a device computes a float model.
enum class Scheme {
  kFloat16,           ///< Stores tensors and weights in binary16, accumulates in float32.
  kFloat16Sums,       ///< As kFloat16, but keeps every sum in binary16, one term after the other.
  kFloat16Blocks,     ///< As kFloat16Sums, but sums each block of kBlock terms separately, then the
                      ///< blocks.
  kFloat16Flushed,    ///< As kFloat16, with subnormal numbers flushed to zero.
  kBFloat16,          ///< Stores tensors and weights in bfloat16, accumulates in float32.
  kTf32,              ///< Rounds the operands of products to TF32; all else is float32.
  kTf32Even,          ///< As kTf32, with ties to even; has the same name.
  kTf32Cut,           ///< As kTf32, truncated instead of rounded.
  kFloat16Products,   ///< Rounds the operands of products to binary16; all else is float32.
  kBFloat16Products,  ///< Rounds the operands of products to bfloat16; all else is float32.
  kInt8,  ///< 8-bit codes between operators, and weights by channel, as converters produce them.
};
/// Terms that kFloat16Blocks sums separately.
inline constexpr std::size_t kBlock = 32;

/// Name of a scheme: "float16", "float16-sums", …
constexpr const char* name(Scheme scheme) {
  switch (scheme) {
    case Scheme::kFloat16: return "float16";
    case Scheme::kFloat16Sums: return "float16-sums";
    case Scheme::kFloat16Blocks: return "float16-blocks";
    case Scheme::kFloat16Flushed: return "float16-flushed";
    case Scheme::kBFloat16: return "bfloat16";
    case Scheme::kTf32:
    case Scheme::kTf32Even: return "tf32";
    case Scheme::kTf32Cut: return "tf32-cut";
    case Scheme::kFloat16Products: return "float16-products";
    case Scheme::kBFloat16Products: return "bfloat16-products";
    case Scheme::kInt8: break;
  }
  return "int8";
}
/// True if it rounds only the operands of products, and nothing that is stored.
constexpr bool rounds_products(Scheme scheme) {
  return scheme == Scheme::kTf32 || scheme == Scheme::kTf32Even || scheme == Scheme::kTf32Cut ||
         scheme == Scheme::kFloat16Products || scheme == Scheme::kBFloat16Products;
}
/// True if its sums are kept in binary16.
constexpr bool sums_in_float16(Scheme scheme) {
  return scheme == Scheme::kFloat16Sums || scheme == Scheme::kFloat16Blocks;
}
/// Rounds a real number to the scheme; unchanged for kInt8, whose tensors have scales.
inline float rounded(Scheme scheme, float value) {
  switch (scheme) {
    case Scheme::kFloat16:
    case Scheme::kFloat16Sums:
    case Scheme::kFloat16Blocks:
    case Scheme::kFloat16Products: return to_float16(value);
    case Scheme::kFloat16Flushed: return flushed_float16(value);
    case Scheme::kBFloat16:
    case Scheme::kBFloat16Products: return to_bfloat16(value);
    case Scheme::kTf32: return to_tf32(value);
    case Scheme::kTf32Even: return to_tf32_even(value);
    case Scheme::kTf32Cut: return to_tf32_cut(value);
    case Scheme::kInt8: break;
  }
  return value;
}
/// Largest finite number that the scheme stores.
constexpr double largest(Scheme scheme) {
  switch (scheme) {
    case Scheme::kFloat16:
    case Scheme::kFloat16Sums:
    case Scheme::kFloat16Blocks:
    case Scheme::kFloat16Flushed:
    case Scheme::kFloat16Products: return 65504.0;
    default: return 3.3895313892515355e38;
  }
}

}  // namespace edgeprobe::precision
