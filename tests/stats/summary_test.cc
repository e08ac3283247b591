// SPDX-License-Identifier: Apache-2.0
// Intervals and tests keep what they promise, on samples whose distribution is known.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "stats/autocorrelation.h"
#include "stats/bootstrap.h"
#include "stats/rank.h"
#include "stats/summary.h"

namespace edgeprobe::stats {
namespace {

using Values = std::vector<double>;

/// Typical latencies: a floor, and a tail. Each depends on the one before by `memory`.
std::vector<double> sample(std::size_t count, double memory, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<double> values;
  double state = normal(random);
  for (std::size_t i = 0; i < count; ++i) {
    state = memory * state + std::sqrt(1 - memory * memory) * normal(random);
    values.push_back(1 + std::exp(state));
  }
  return values;
}

/// How often the interval contains the true quantile, 1 + exp(z).
double coverage(double level, double z, std::size_t count, double memory, int trials) {
  std::mt19937 random(11);
  int hits = 0;
  for (int i = 0; i < trials; ++i) {
    const Summary summary = summarize(sample(count, memory, random));
    const Quantile& quantile = level == 0.5 ? summary.p50 : summary.p90;
    const double truth = 1 + std::exp(z);
    hits +=
        (!quantile.low || *quantile.low <= truth) && (!quantile.high || truth <= *quantile.high);
  }
  return static_cast<double>(hits) / trials;
}

TEST(Intervals, HoldTheTrueQuantileNineteenTimesOutOfTwenty) {
  // 1000 trials: the standard error of 0.95 is 0.007.
  EXPECT_GT(coverage(0.5, 0, 100, 0, 1000), 0.93);
  EXPECT_GT(coverage(0.9, 1.2815515655446004, 200, 0, 1000), 0.93);
  EXPECT_LT(coverage(0.5, 0, 100, 0, 1000), 0.985);  // the intervals are not merely wide
}

TEST(Intervals, HoldWhenEachRunDependsOnTheOneBefore) {
  EXPECT_GT(coverage(0.5, 0, 500, 0.8, 300), 0.88);
  EXPECT_GT(coverage(0.9, 1.2815515655446004, 1000, 0.8, 300), 0.86);
}

TEST(Intervals, AreOrderStatisticsOfTheBinomial) {
  // For 10 values, the interval of the median is from the 2nd to the 9th: P(X <= 1) = 11/1024,
  // two-sided 2.1 %; from the 3rd it would be 10.9 %.
  const std::vector<double> ten = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const Quantile median = quantile_with_interval(ten, 0.5, 10);
  EXPECT_EQ(median.value, 5.5);
  EXPECT_EQ(median.low, 2);
  EXPECT_EQ(median.high, 9);
}

TEST(Intervals, AreOpenWhereTooFewRunsCannotBoundThem) {
  const std::vector<double> ten = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_TRUE(quantile_with_interval(ten, 0.9, 10).low);
  EXPECT_FALSE(quantile_with_interval(ten, 0.9, 10).high);                    // 0.9^10 = 35 %
  EXPECT_FALSE(quantile_with_interval(Values{1, 2, 3, 4, 5}, 0.5, 5).low);    // 1/32 > 2.5 %
  EXPECT_TRUE(quantile_with_interval(Values{1, 2, 3, 4, 5, 6}, 0.5, 6).low);  // 1/64 < 2.5 %
}

TEST(Summary, OneValueAndNoneAreDefined) {
  const Summary one = summarize(Values{0.25});
  EXPECT_EQ(one.count, 1u);
  EXPECT_EQ(one.p99.value, 0.25);
  EXPECT_EQ(one.std, 0);
  EXPECT_FALSE(one.p50.low);
  EXPECT_EQ(summarize({}).count, 0u);
}

TEST(EffectiveSampleSize, FallsWithTheMemoryOfTheSeries) {
  std::mt19937 random(3);
  const double fresh = effective_sample_size(sample(4000, 0, random), 0.5);
  EXPECT_GT(fresh, 3000);
  // For the indicator of a Gaussian series with memory 0.8: about 4000 / 6.
  const double bound = effective_sample_size(sample(4000, 0.8, random), 0.5);
  EXPECT_GT(bound, 350);
  EXPECT_LT(bound, 1300);
}

TEST(MannWhitney, DoesNotTakeDependenceForADifference) {
  std::mt19937 random(17);
  int found = 0;
  for (int i = 0; i < 200; ++i)
    found += mann_whitney(sample(300, 0.8, random), sample(300, 0.8, random)).p < 0.05;
  EXPECT_LE(found, 24);  // 5 % would be 10; without the correction it is at least 80
}

TEST(MannWhitney, SeesAShiftOfOneTenth) {
  std::mt19937 random(17);
  const auto first = sample(300, 0, random);
  auto second = sample(300, 0, random);
  for (double& value : second) value *= 1.1;
  const RankTest test = mann_whitney(first, second);
  EXPECT_GT(test.probability_of_superiority, 0.5);
  EXPECT_LT(mann_whitney(std::vector<double>(50, 1.0), std::vector<double>(50, 1.2)).p, 1e-6);
  EXPECT_EQ(mann_whitney(std::vector<double>(50, 1.0), std::vector<double>(50, 1.0)).p, 1);
  EXPECT_EQ(mann_whitney({}, Values{1}).p, 1);
}

TEST(Holm, AdjustsFromTheSmallestUp) {
  // 0.01 * 4, then max(that, 0.02 * 3), then 0.03 * 2, then 0.5.
  const auto adjusted = holm(Values{0.03, 0.01, 0.5, 0.02});
  EXPECT_DOUBLE_EQ(adjusted[1], 0.04);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.5);
}

TEST(MedianRatio, HoldsTheTrueRatio) {
  std::mt19937 random(23);
  int hits = 0;
  for (int i = 0; i < 100; ++i) {
    auto second = sample(150, 0.5, random);
    for (double& value : second) value *= 1.2;
    const Ratio ratio = median_ratio(sample(150, 0.5, random), second);
    hits += ratio.low <= 1.2 && 1.2 <= ratio.high;
  }
  EXPECT_GE(hits, 85);
  EXPECT_EQ(median_ratio({}, Values{1}).value, 1);
}

}  // namespace
}  // namespace edgeprobe::stats
