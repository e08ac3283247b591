// SPDX-License-Identifier: Apache-2.0
#include "compare/first_difference.h"

#include <gtest/gtest.h>

namespace edgeprobe::compare {
namespace {

LayerDistance at(double nrmse, double range = 0, double gain = 0) {
  return {nrmse * nrmse, range, gain};
}

TEST(FirstDifference, BehindEqualLayersIsTheFirstBeyondRounding) {
  const auto first = first_difference({at(0), at(0), at(2e-4), at(0.5)}, false, std::nullopt);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->layer, 2u);
  EXPECT_EQ(first->rule, FirstRule::kEqualBefore);
  EXPECT_EQ(first->equal_before, 2u);
  EXPECT_EQ(first->largest_before, 0);
}

TEST(FirstDifference, OtherKernelsRoundingIsNone) {
  EXPECT_FALSE(first_difference({at(1e-6), at(1e-5), at(3e-5)}, false, std::nullopt));
  EXPECT_FALSE(first_difference({}, false, std::nullopt));
}

TEST(FirstDifference, RoundingBehindEqualLayersHidesNoLaterFault) {
  const auto first = first_difference({at(0), at(1e-6), at(2e-6), at(0.3)}, false, std::nullopt);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->layer, 3u);
  EXPECT_EQ(first->rule, FirstRule::kNrmse);
  EXPECT_EQ(first->equal_before, 1u);
  EXPECT_DOUBLE_EQ(first->largest_before, 2e-6);
}

TEST(FirstDifference, WhatNoLaterLayerShowsIsNone) {
  EXPECT_FALSE(first_difference({at(1e-6), at(0.07), at(1e-6), at(2e-6)}, false, std::nullopt));
  EXPECT_TRUE(first_difference({at(1e-6), at(0.07)}, false, std::nullopt));
}

TEST(FirstDifference, TheFirstLayerOfAllIsJudgedByItsDistance) {
  const auto first = first_difference({at(0.2), at(0.4)}, false, std::nullopt);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->layer, 0u);
  EXPECT_EQ(first->rule, FirstRule::kNrmse);
}

TEST(FirstDifference, IntegersDriftWithoutAStep) {
  std::vector<LayerDistance> drift;
  for (int i = 1; i < 20; ++i) drift.push_back(at(0.02 * i, 0.004 * i, 1.5));
  EXPECT_FALSE(first_difference(drift, true, std::nullopt));
  EXPECT_TRUE(first_difference(drift, false, std::nullopt));
}

TEST(FirstDifference, AStepThatStaysIsTheFirstAmongIntegers) {
  std::vector<LayerDistance> layers(8, at(0.02, 0.004, 1.5));
  layers[3] = at(0.4, 0.08, 14);  // The error jumps up in one layer, and down again in the next.
  EXPECT_FALSE(first_difference(layers, true, std::nullopt));
  layers.resize(5);
  layers.resize(12, at(0.5, 0.1, 1.1));
  layers[3] = at(0.02, 0.004, 1.5);
  layers[5] = at(0.5, 0.1, 40);
  const auto first = first_difference(layers, true, std::nullopt);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->layer, 5u);
  EXPECT_EQ(first->rule, FirstRule::kErrorGain);
}

TEST(FirstDifference, OneStepBehindEqualIntegersIsRounding) {
  EXPECT_FALSE(first_difference({at(0), at(0), at(0.005)}, true, std::nullopt));
  EXPECT_TRUE(first_difference({at(0), at(0), at(0.05)}, true, std::nullopt));
}

TEST(FirstDifference, TheUsersLimitIsTheOnlyRule) {
  const std::vector<LayerDistance> layers{at(0.5, 0.003), at(0.6, 0.003), at(0.7, 0.51)};
  const auto first = first_difference(layers, false, 0.1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->layer, 2u);
  EXPECT_EQ(first->rule, FirstRule::kRmseOverRange);
  EXPECT_EQ(first->limit, 0.1);
  EXPECT_FALSE(first_difference(layers, false, 0.9));
}

}  // namespace
}  // namespace edgeprobe::compare
