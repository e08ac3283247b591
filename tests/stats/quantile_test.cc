// SPDX-License-Identifier: Apache-2.0
// The conventions of quantiles on samples that can be counted through.
#include "stats/quantile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace edgeprobe::stats {
namespace {

using Values = std::vector<double>;

TEST(Median, OfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median(Values{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(Values{4, 1, 3}), 3);
  EXPECT_EQ(median(Values{7}), 7);
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median(Values{1e308, 1.5e308}), 1.25e308);  // whose sum is infinite
}

TEST(Median, IsTheQuantileToTheBitWhereTheMiddleTwoAreWithinAFactorOfTwo) {
  for (double low = 1; low < 2; low += 0.0137) {
    const Values two = {low, low * 1.999};
    EXPECT_EQ(median(two), quantile(two, 0.5));
  }
}

TEST(Median, InPlaceIsTheSame) {
  Values values = {9, 2, 4, 4, 1, 8};
  EXPECT_EQ(median_in_place(values), 4);
}

TEST(UpperMedian, IsTheLargerOfTheMiddleTwoAndAValueOfTheSample) {
  EXPECT_EQ(upper_median(std::vector<std::int64_t>{4, 1, 3, 2}), 3);
  EXPECT_EQ(upper_median(std::vector<float>{2, 1, 3}), 2);
  EXPECT_EQ(upper_median(std::vector<std::uint64_t>{}), 0u);
  Values values = {5, 6};
  EXPECT_EQ(upper_median(values), 6);
}

TEST(LowerQuantile, RoundsItsPlaceDown) {
  for (std::size_t n = 1; n < 2000; ++n) {
    Values values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(n - 1 - i);
    ASSERT_EQ(lower_quantile(values, 0.9), static_cast<double>((n - 1) * 9 / 10)) << n;
  }
}

TEST(NearestRank, IsTheSmallestValueThatEnoughDoNotExceed) {
  for (std::size_t n = 1; n < 2000; ++n) {
    Values values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i);
    ASSERT_EQ(nearest_rank(values, 0.95), static_cast<double>((n * 95 - 1) / 100)) << n;
  }
  EXPECT_EQ(nearest_rank(Values{1, 2, 3, 4}, 0.5), 2);
  EXPECT_EQ(nearest_rank(Values{1, 2, 3, 4}, 1), 4);
}

TEST(Quantile, OfOneValueIsThatValue) {
  for (const double level : {0.0, 0.3, 1.0}) EXPECT_EQ(quantile(Values{3}, level), 3);
  EXPECT_EQ(quantile(Values{1, 2}, 1), 2);
}

}  // namespace
}  // namespace edgeprobe::stats
