// SPDX-License-Identifier: Apache-2.0
#include "search/made_up.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace edgeprobe::search {
namespace {

template <class Type>
void write(const std::vector<float>& values, Tensor& out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Type stored = static_cast<Type>(0);
    if constexpr (std::is_floating_point_v<Type>) {
      stored = values[i];
    } else {
      // Largest float that does not round up beyond the type.
      const double least = static_cast<double>(std::numeric_limits<Type>::lowest());
      const double most = std::min(static_cast<double>(std::numeric_limits<Type>::max()), 9e15);
      stored = static_cast<Type>(
          std::clamp(std::nearbyint(double{values[i]}), std::max(least, -9e15), most));
    }
    std::memcpy(out.bytes.data() + i * sizeof(Type), &stored, sizeof(Type));
  }
}

}  // namespace

StoredNumbers::StoredNumbers(const Tensor& tensor) : tensor_(tensor) {
  if (auto values = stored_as_float(tensor)) values_ = *std::move(values);
}

Tensor StoredNumbers::tensor() const {
  Tensor out = tensor_;
  switch (out.spec.dtype) {
    case DType::kFloat32: write<float>(values_, out); break;
    case DType::kInt8: write<std::int8_t>(values_, out); break;
    case DType::kUInt8: write<std::uint8_t>(values_, out); break;
    case DType::kInt16: write<std::int16_t>(values_, out); break;
    case DType::kInt32: write<std::int32_t>(values_, out); break;
    case DType::kInt64: write<std::int64_t>(values_, out); break;
    default: break;
  }
  return out;
}

double scattered(std::size_t k) {
  return std::fmod(
      0.5 + 0.6180339887498949 * static_cast<double>(k) + 0.37 * static_cast<double>((k * k) % 13),
      1.0);
}

}  // namespace edgeprobe::search
