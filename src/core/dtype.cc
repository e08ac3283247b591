// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.h"

#include <array>
#include <cmath>
#include <cstring>

namespace edgeprobe {
namespace {

struct Row {
  DType dtype;
  const char* name;
  std::size_t size;
};

constexpr std::array<Row, 15> kRows{{{DType::kFloat32, "float32", 4},
                                     {DType::kFloat16, "float16", 2},
                                     {DType::kBFloat16, "bfloat16", 2},
                                     {DType::kFloat64, "float64", 8},
                                     {DType::kInt8, "int8", 1},
                                     {DType::kUInt8, "uint8", 1},
                                     {DType::kInt16, "int16", 2},
                                     {DType::kUInt16, "uint16", 2},
                                     {DType::kInt32, "int32", 4},
                                     {DType::kUInt32, "uint32", 4},
                                     {DType::kInt64, "int64", 8},
                                     {DType::kUInt64, "uint64", 8},
                                     {DType::kBool, "bool", 1},
                                     {DType::kInt4, "int4", 0},
                                     {DType::kOther, "other", 0}}};

float from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

const char* name(DType dtype) { return kRows[static_cast<std::size_t>(dtype)].name; }

std::optional<DType> dtype_from_name(std::string_view text) {
  for (const Row& row : kRows)
    if (text == row.name) return row.dtype;
  return std::nullopt;
}

std::size_t size_of(DType dtype) { return kRows[static_cast<std::size_t>(dtype)].size; }

bool is_float(DType dtype) { return dtype <= DType::kFloat64; }

bool is_integer(DType dtype) {
  return (dtype >= DType::kInt8 && dtype <= DType::kUInt64) || dtype == DType::kInt4;
}

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  std::uint32_t exponent = (bits >> 10) & 0x1fu;
  std::uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 31) return from_bits(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    if (mantissa == 0) return from_bits(sign);
    // Subnormal: shift the leading one into place and lower the exponent by as many places.
    exponent = 1;
    while (!(mantissa & 0x400u)) {
      mantissa <<= 1;
      --exponent;
    }
    mantissa &= 0x3ffu;
  }
  return from_bits(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

float bfloat16_to_float(std::uint16_t bits) {
  return from_bits(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t float_to_half(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 6.103515625e-05f)  // Subnormal: a multiple of 2^-24.
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint32_t>(std::nearbyint(magnitude * 16777216.0f)));
  std::uint32_t half = ((bits & 0x7fffffffu) - 0x38000000u) >> 13;
  const std::uint32_t rest = bits & 0x1fffu;
  if (rest > 0x1000u || (rest == 0x1000u && (half & 1u) != 0)) ++half;
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace edgeprobe
