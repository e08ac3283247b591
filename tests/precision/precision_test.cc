// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/dtype.h"
#include "precision/sums/number_format.h"
#include "precision/sums/sum.h"

namespace edgeprobe::precision {
namespace {

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// Every finite binary16 number, and values around the midpoint between it and the next one.
TEST(Float16, IsTheNearestNumberAndTheEvenOneOfTwo) {
  for (std::uint16_t code = 0; code < 0x7c00U; ++code) {
    const float low = half_to_float(code);
    const bool last = code == 0x7bffU;
    const float high = last ? 65536.0F : half_to_float(static_cast<std::uint16_t>(code + 1));
    const float above = last ? std::numeric_limits<float>::infinity() : high;
    const float middle = low + (high - low) / 2;
    for (const float sign : {1.0F, -1.0F}) {
      ASSERT_EQ(bits(to_float16(sign * low)), bits(sign * low)) << code;
      ASSERT_EQ(to_float16(sign * middle), sign * (code % 2 == 0 ? low : above)) << code;
      ASSERT_EQ(to_float16(sign * std::nextafter(middle, 0.0F)), sign * low) << code;
      ASSERT_EQ(to_float16(sign * std::nextafter(middle, 1e9F)), sign * above) << code;
    }
  }
  EXPECT_TRUE(std::isnan(to_float16(std::nanf(""))));
  EXPECT_EQ(to_float16(-std::numeric_limits<float>::infinity()),
            -std::numeric_limits<float>::infinity());
  EXPECT_EQ(bits(to_float16(-1e-30F)), bits(-0.0F));
}

TEST(BFloat16, IsTheNearestNumberAndTheEvenOneOfTwo) {
  for (std::uint32_t code = 0; code < 0x7f7fU; ++code) {
    const auto low = std::bit_cast<float>(code << 16),
               high = std::bit_cast<float>((code + 1) << 16);
    const auto middle = std::bit_cast<float>(code << 16 | 0x8000U);
    ASSERT_EQ(to_bfloat16(low), low);
    ASSERT_EQ(to_bfloat16(-middle), code % 2 == 0 ? -low : -high);
    ASSERT_EQ(to_bfloat16(std::bit_cast<float>(bits(middle) - 1)), low);
    ASSERT_EQ(to_bfloat16(std::bit_cast<float>(bits(middle) + 1)), high);
  }
  EXPECT_TRUE(std::isinf(to_bfloat16(std::numeric_limits<float>::max())));
  EXPECT_TRUE(std::isnan(to_bfloat16(std::bit_cast<float>(0x7fffffffU))));
}

Summed product(const std::vector<float>& a, const std::vector<float>& b, Accumulator accumulator) {
  model::Layer layer;
  layer.type = "MatMul";
  const auto n = static_cast<std::int64_t>(a.size());
  const model::Attributes attributes;
  auto made = sum({&layer, &attributes, {Array{{1, n}, a}, Array{{n, 1}, b}}, {1, 1}}, accumulator);
  EXPECT_TRUE(made) << made.error().what;
  return made ? *made : Summed{};
}

TEST(Sum, RoundsAfterEachTermInTheirOrder) {
  // 2048 + 1 is not a binary16 number, and the even one of its neighbours is 2048.
  EXPECT_EQ(product({2048, 1, 1}, {1, 1, 1}, Accumulator::kFloat16).values[0], 2048.0F);
  EXPECT_EQ(product({1, 1, 2048}, {1, 1, 1}, Accumulator::kFloat16).values[0], 2050.0F);
  EXPECT_EQ(product({2048, 1, 1}, {1, 1, 1}, Accumulator::kFloat32).values[0], 2050.0F);
}

TEST(Sum, TellsThePartialSumThatPassesTheRange) {
  const Summed half = product({300, 300, -300}, {200, 200, 200}, Accumulator::kFloat16);
  EXPECT_TRUE(std::isinf(half.largest_partial));
  EXPECT_TRUE(std::isinf(half.values[0]));
  const Summed real = product({300, 300, -300}, {200, 200, 200}, Accumulator::kFloat32);
  EXPECT_EQ(real.largest_partial, 120000.0);
  EXPECT_EQ(real.values[0], 60000.0F);
}

TEST(Sum, RefusesShapesThatDoNotFit) {
  model::Layer layer;
  layer.type = "MatMul";
  const model::Attributes attributes;
  EXPECT_FALSE(sum({&layer, &attributes, {Array{{1, 3}, {1, 2, 3}}, Array{{2, 1}, {1, 2}}}, {1, 1}},
                   Accumulator::kFloat16));
  EXPECT_FALSE(
      sum({&layer, &attributes, {Array{{1, 3}, {1, 2, 3}}}, {1, 1}}, Accumulator::kFloat16));
  layer.type = "Softmax";
  EXPECT_FALSE(sum({&layer, &attributes, {Array{{1, 1}, {1}}}, {1, 1}}, Accumulator::kFloat16));
}

}  // namespace
}  // namespace edgeprobe::precision
