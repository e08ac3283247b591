// SPDX-License-Identifier: Apache-2.0
#include "layers/search/rule.h"

#include <gtest/gtest.h>

namespace edgeprobe::layers {
namespace {

// A healthy layer without effect on the logits.
Figures healthy(const char* type = "CONV_2D") {
  Figures f;
  f.type = type;
  f.error_gain = 1;
  f.share = 0.01;
  f.relative = 0.02;
  f.score = 1;
  f.scale_ratio = 1;
  f.clip = 0;
  f.step_width = 1;
  return f;
}

TEST(Suspects, NobodyWhenNothingStandsOut) {
  EXPECT_TRUE(suspects({healthy(), healthy("ADD"), healthy()}, 0.1, 0.25).empty());
}

TEST(Suspects, ALargeLocalErrorWithoutAnEffectIsNoCulprit) {
  auto rows = std::vector{healthy(), healthy("FULLY_CONNECTED")};
  rows[1].score = 29.7;  // A healthy model may clip large logits.
  rows[1].relative = 0.2;
  EXPECT_TRUE(suspects(rows, 0.1, 0.25).empty());
}

TEST(Suspects, ALayerThatClipsAndMattersIsNamed) {
  auto rows = std::vector{healthy(), healthy("DEPTHWISE_CONV_2D"), healthy()};
  rows[1].clip = 0.4;
  rows[1].relative = 0.4;
  rows[1].score = 20;
  rows[1].share = 0.97;
  const auto found = suspects(rows, 0.4, 0.25);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].row, 1u);
  EXPECT_EQ(found[0].suspicion, Suspicion::kActivation);
  EXPECT_FALSE(found[0].tied);
}

TEST(Suspects, OfTwoCandidatesTheOneThatDoesMore) {
  auto rows = std::vector{healthy("AVERAGE_POOL_2D"), healthy()};
  for (Figures& row : rows) row.score = row.relative = 10;
  rows[0].share = 0.35;
  rows[1].share = 0.3;
  rows[1].single_layer_error = 0.7;  // .3 + .7 > .35
  EXPECT_EQ(suspects(rows, 0.4, 0.25).at(0).row, 1u);
  rows[0].single_layer_error = 0.9;
  EXPECT_EQ(suspects(rows, 0.4, 0.25).at(0).row, 0u);
  EXPECT_TRUE(suspects(rows, 0.4, 0.25).at(0).tied);
}

TEST(Suspects, OneScaleForAllWeightsIsToldFromTheActivation) {
  auto rows = std::vector{healthy()};
  rows[0].score = 8;
  rows[0].relative = 0.3;
  rows[0].share = 0.9;
  rows[0].step_width = 6;
  EXPECT_EQ(suspects(rows, 0.4, 0.25).at(0).suspicion, Suspicion::kPerTensor);
  rows[0].clip = 0.2;
  EXPECT_EQ(suspects(rows, 0.4, 0.25).at(0).suspicion, Suspicion::kActivation);
}

TEST(Suspects, OtherConstantsComeFirstAndAllOfThem) {
  auto rows = std::vector{healthy(), healthy(), healthy()};
  rows[0].constants_differ = rows[2].constants_differ = true;
  rows[2].share = 0.8;
  rows[1].clip = rows[1].relative = rows[1].share = 0.9;
  const auto found = suspects(rows, 0.4, 0.25);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].row, 2u);
  EXPECT_EQ(found[1].row, 0u);
  EXPECT_EQ(found[0].suspicion, Suspicion::kWeights);
}

TEST(Suspects, AGapThatNothingExplainsIsPlacedButNotNamed) {
  auto rows = std::vector{healthy(), healthy(), healthy()};
  rows[2].error_gain = 50;
  rows[2].share = 0.9;
  EXPECT_EQ(suspects(rows, 0.5, 0.25).at(0).row, 2u);
  EXPECT_EQ(suspects(rows, 0.5, 0.25).at(0).suspicion, Suspicion::kUnexplained);
  EXPECT_TRUE(suspects(rows, 0.2, 0.25).empty());
}

}  // namespace
}  // namespace edgeprobe::layers
