// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/input_scale.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace edgeprobe::diagnose {
namespace {

const TensorSpec kReal{"x", DType::kFloat32, {1, 4}, {}};

TensorSpec int8_of(float scale) { return {"x", DType::kInt8, {1, 4}, {{scale}, {0}, 0}}; }

std::optional<InputScale> examined(const TensorSpec& stored, double gray_step) {
  const TwoTraces traces{stored,
                         {Bytes(std::size_t(*stored.byte_size()))},
                         kReal,
                         {bytes_of<float>({-100, 0.2F, 10, 90})}};
  const auto found = examine_input_scale(traces.study(), gray_step, {});
  EXPECT_TRUE(found) << found.error().what;
  return *found;
}

TEST(InputScale, ARangeThatCutsValuesOffIsToldWithItsLoss) {
  const auto found = examined(int8_of(0.5F), 2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->low, -64);
  EXPECT_EQ(found->high, 63.5);
  EXPECT_EQ(found->least, -100);
  EXPECT_EQ(found->most, 90);
  EXPECT_EQ(found->cut, 0.5) << "-100 and 90 of four values";
  EXPECT_EQ(found->left, 4U) << "codes -128, 0, 20 and 127";
  const double lost = std::sqrt((36.0 * 36 + 0.2 * 0.2 + 26.5 * 26.5) / 4);
  EXPECT_NEAR(found->lost, lost, 1e-5);
  EXPECT_NEAR(*found->lost_steps, lost / 2, 1e-5);
}

TEST(InputScale, WithoutGraySteps10PercentOfTheDeviationCount) {
  EXPECT_TRUE(examined(int8_of(0.5F), 0));
  EXPECT_FALSE(examined(int8_of(0.5F), 0)->lost_steps);
  // Steps of 1 represent -128 to 127: the loss is 0.2 in one value.
  EXPECT_FALSE(examined(int8_of(1), 0));
}

TEST(InputScale, RoundingOfAFittingScaleAndRealNumbersLoseNothing) {
  EXPECT_FALSE(examined(int8_of(1), 1));
  EXPECT_FALSE(examined(kReal, 1));
}

}  // namespace
}  // namespace edgeprobe::diagnose
