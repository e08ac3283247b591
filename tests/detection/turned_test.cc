// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/turned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "postprocess/detection/suppression.h"

namespace edgeprobe::postprocess::detection {
namespace {

constexpr double kQuarter = std::numbers::pi / 2;

TEST(Turned, CornersGoRoundTheCentre) {
  const Corners all = corners({10, 20, 8, 4, kQuarter});
  EXPECT_NEAR(all[0][0], 12, 1e-12);
  EXPECT_NEAR(all[0][1], 16, 1e-12);
  EXPECT_NEAR(all[2][0], 8, 1e-12);
  EXPECT_NEAR(all[2][1], 24, 1e-12);
}

TEST(Turned, OverlapIsOfTheAreasThemselves) {
  const Turned box{0, 0, 4, 4, 0};
  EXPECT_DOUBLE_EQ(turned_overlap(box, box, OverlapOf::kTurned), 1);
  EXPECT_NEAR(turned_overlap(box, {0, 0, 4, 4, kQuarter}, OverlapOf::kTurned), 1, 1e-12);
  EXPECT_NEAR(turned_overlap(box, {2, 0, 4, 4, 0}, OverlapOf::kTurned), 8.0 / 24, 1e-12);
  // Two equal squares, one on its corner, share an octagon: 2 (sqrt(2) - 1) of one.
  const double octagon = 2 * (std::sqrt(2.0) - 1) * 16;
  EXPECT_NEAR(turned_overlap(box, {0, 0, 4, 4, kQuarter / 2}, OverlapOf::kTurned),
              octagon / (32 - octagon), 1e-12);
  EXPECT_EQ(turned_overlap(box, {9, 9, 4, 4, 0.3}, OverlapOf::kTurned), 0);
  EXPECT_EQ(turned_overlap(box, {0, 0, 0, 4, 0}, OverlapOf::kTurned), 0);
}

TEST(Turned, GaussiansAreAlikeByTheirHellingerDistance) {
  // By SciPy's determinants and inverse of the covariances.
  EXPECT_NEAR(turned_overlap({10, 10, 8, 4, 0.3}, {11, 12, 6, 5, -0.2}, OverlapOf::kGaussians),
              0.47777, 1e-4);
  EXPECT_NEAR(turned_overlap({10, 10, 8, 4, 0.3}, {10, 10, 8, 4, 0.3}, OverlapOf::kGaussians), 1,
              1e-3);
  EXPECT_LT(turned_overlap({10, 10, 8, 4, 0.3}, {90, 90, 8, 4, 0.3}, OverlapOf::kGaussians), 1e-6);
}

TEST(Turned, SuppressionComparesInPixels) {
  // In shares of an input 100 x 50 both are squares; in pixels the one is turned off the other.
  Suppression rule;
  rule.rivals = Rivals::kAllClasses;
  rule.of = OverlapOf::kTurned;
  rule.pixel_width = 0.01, rule.pixel_height = 0.02;
  rule.limit = 0.5;
  Detection wide{{0.2, 0.2, 0.6, 0.6}, 0, 0.9}, turned = wide;
  turned.score = 0.8, turned.angle = kQuarter;
  const std::vector<Detection> all{wide, turned};
  EXPECT_EQ(suppressed(all, rule).size(), 2u);  // 20 of 60 in common.
  rule.of = OverlapOf::kUnion;
  EXPECT_EQ(suppressed(all, rule).size(), 1u);
}

TEST(Suppression, BoxesThatWentMayDropOthers) {
  Suppression rule;
  rule.rivals = Rivals::kAllClasses;
  rule.limit = 0.4;
  const std::vector<Detection> all{
      {{0, 0, 1, 1}, 0, 0.9}, {{0.3, 0, 1.3, 1}, 0, 0.8}, {{0.6, 0, 1.6, 1}, 0, 0.7}};
  EXPECT_EQ(suppressed(all, rule).size(), 2u);
  rule.is_by_all = true;
  EXPECT_EQ(suppressed(all, rule).size(), 1u);
}

}  // namespace
}  // namespace edgeprobe::postprocess::detection
