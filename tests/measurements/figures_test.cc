// SPDX-License-Identifier: Apache-2.0
#include "measurements/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::measurements {
namespace {

using testing::ElementsAre;

TEST(MeasurementsFigures, SpreadOfFourNumbers) {
  const auto spread = spread_of({4, 1, 3, 2});
  ASSERT_TRUE(spread);
  EXPECT_DOUBLE_EQ(spread->mean, 2.5);
  EXPECT_DOUBLE_EQ(spread->std * spread->std, 1.25);  // (2.25 + 0.25 + 0.25 + 2.25) / 4
  EXPECT_DOUBLE_EQ(spread->median, 2.5);
  EXPECT_DOUBLE_EQ(spread->p90, 3.7);  // at 0.9 * 3 = 2.7
  EXPECT_FALSE(spread_of({}));
}

TEST(MeasurementsFigures, MeansLeaveOutClassesWithoutAFrame) {
  // True class 0: 3 right, 1 answered as class 1. True class 1: 1 right. Class 2 never occurs, but
  // is answered once.
  const Classification of{3, {3, 1, 0, 0, 1, 1, 0, 0, 0}, 5, 6};
  const Quality quality = quality_of(of);
  EXPECT_DOUBLE_EQ(*quality.accuracy, 4.0 / 6);
  EXPECT_DOUBLE_EQ(*quality.mean_recall, (3.0 / 4 + 1.0 / 2) / 2);
  EXPECT_DOUBLE_EQ(*quality.mean_precision, (1 + 1.0 / 2 + 0) / 3);
  EXPECT_DOUBLE_EQ(*quality.top_5, 5.0 / 6);
  EXPECT_EQ(quality.absent, 1u);
  const auto classes = figures_by_class(of);
  EXPECT_THAT((std::vector{classes[0].recall, classes[1].recall, classes[2].recall}),
              ElementsAre(0.75, 0.5, std::nullopt));
}

TEST(MeasurementsFigures, GMeanIsZeroWhereAClassIsNeverRight) {
  EXPECT_EQ(quality_of({2, {1, 0, 1, 0}, {}, 2}).g_mean, 0.0);
}

TEST(MeasurementsFigures, AveragePrecisionOfTwoThings) {
  // Right, wrong, right: precision 1 up to recall 0.5 (51 of 101 recalls), then 2/3 (50).
  const DetectedClass of{"a", {{0.9, true, 0.8}, {0.5, true, 0.7}, {0.7, false, 0}}, 2};
  EXPECT_NEAR(*average_precision(of), (51 + 50 * 2.0 / 3) / 101, 1e-12);
  EXPECT_FALSE(average_precision({"b", {{0.9, false, 0}}, 0}));
  EXPECT_DOUBLE_EQ(*mean_average_precision({of, {"b", {}, 0}, {"c", {}, 1}}),
                   *average_precision(of) / 2);
}

}  // namespace
}  // namespace edgeprobe::measurements
