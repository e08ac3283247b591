// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace edgeprobe {

/// Element types. Bytes are little-endian, as in every file format we read and write.
enum class DType : std::uint8_t {
  kFloat32,
  kFloat16,
  kBFloat16,
  kFloat64,
  kInt8,
  kUInt8,
  kInt16,
  kUInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kBool,
  kInt4,   ///< Two elements per byte, low nibble first; constants only.
  kOther,  ///< String, resource, variant, complex: never read as numbers.
};

/// "float32", "int8", … as in NumPy; "int4" and "other" for the last two.
const char* name(DType dtype);
/// The inverse of name(); nothing for an unknown name.
std::optional<DType> dtype_from_name(std::string_view text);
/// Bytes of one element; 0 for kInt4 and kOther, which have no whole number of bytes.
std::size_t size_of(DType dtype);
bool is_float(DType dtype);
bool is_integer(DType dtype);

/// IEEE 754 binary16 and bfloat16 bit patterns as float.
float half_to_float(std::uint16_t bits);
float bfloat16_to_float(std::uint16_t bits);
/// Nearest binary16 number, ties to even; 65520 and above become infinity. A NaN stays NaN.
std::uint16_t float_to_half(float value);

}  // namespace edgeprobe
