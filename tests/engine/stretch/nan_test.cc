// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/dtype.h"
#include "engine/stretch/nan.h"

namespace edgeprobe::engine::stretch {
namespace {

template <class T>
ByteView bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(T)};
}

TEST(Nan, IsFoundInEachFloatingPointType) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = NAN;
  EXPECT_FALSE(has_nan(DType::kFloat32, bytes<float>({0, -1, kInfinity, -kInfinity, 1e-45f})));
  EXPECT_TRUE(has_nan(DType::kFloat32, bytes<float>({0, -kNan})));
  EXPECT_FALSE(has_nan(DType::kFloat64, bytes<double>({0, HUGE_VAL})));
  EXPECT_TRUE(has_nan(DType::kFloat64, bytes<double>({0, NAN})));
  EXPECT_FALSE(has_nan(DType::kInt32, bytes<float>({kNan})));
  // Every bit pattern, compared with the conversion to float.
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const std::vector<std::uint16_t> one{static_cast<std::uint16_t>(bits)};
    ASSERT_EQ(has_nan(DType::kFloat16, bytes(one)), std::isnan(half_to_float(one[0])));
    ASSERT_EQ(has_nan(DType::kBFloat16, bytes(one)), std::isnan(bfloat16_to_float(one[0])));
  }
}

}  // namespace
}  // namespace edgeprobe::engine::stretch
