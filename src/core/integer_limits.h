// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "core/dtype.h"

namespace edgeprobe {

struct IntegerLimits {
  std::int64_t least = 0, most = 0;
};

/// Range of an integer type; nullopt for others. The maximum of uint64 is limited to that of int64.
inline std::optional<IntegerLimits> integer_limits(DType dtype) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  switch (dtype) {
    case DType::kBool: return IntegerLimits{0, 1};
    case DType::kInt4: return IntegerLimits{-8, 7};
    case DType::kInt8: return IntegerLimits{-128, 127};
    case DType::kUInt8: return IntegerLimits{0, 255};
    case DType::kInt16: return IntegerLimits{-32768, 32767};
    case DType::kUInt16: return IntegerLimits{0, 65535};
    case DType::kInt32: return IntegerLimits{-2147483648LL, 2147483647};
    case DType::kUInt32: return IntegerLimits{0, 4294967295LL};
    case DType::kInt64: return IntegerLimits{-kMost - 1, kMost};
    case DType::kUInt64: return IntegerLimits{0, kMost};
    default: return std::nullopt;
  }
}

/// Range of the types that hold codes of quantised values, 8 and 16 bits.
inline std::optional<IntegerLimits> code_limits(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kInt16:
    case DType::kUInt16: return integer_limits(dtype);
    default: return std::nullopt;
  }
}

}  // namespace edgeprobe
