// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "stats/bootstrap.h"
#include "stats/proportion.h"
#include "stats/significance.h"

namespace edgeprobe::stats {
namespace {

// Expected values: (p - k/n)^2 = z^2 p (1 - p) / n, solved in Python
TEST(Wilson, EqualsTheRootsOfTheScoreEquation) {
  const auto expect = [](std::uint64_t k, std::uint64_t n, double low, double high) {
    EXPECT_NEAR(wilson(k, n).low, low, 1e-12);
    EXPECT_NEAR(wilson(k, n).high, high, 1e-12);
  };
  expect(0, 10, 0, 0.27753279986288915);
  expect(10, 10, 0.7224672001371111, 1);
  expect(5, 10, 0.236593090512564, 0.763406909487436);
  expect(41, 100, 0.3186731302113651, 0.5079856994658921);
  expect(279, 300, 0.8953639895740656, 0.9537630551728249);
  expect(1, 1, 0.2065493143772375, 1);
  EXPECT_EQ(wilson(0, 0).low, 0);
  EXPECT_EQ(wilson(0, 0).high, 1);
}

TEST(Significance, ALossIsBelowTheLevelAndInTheTargetsDisfavour) {
  const auto is_lost = [](std::uint64_t only_reference, std::uint64_t only_target) {
    return is_loss(mcnemar_p(only_reference, only_target), only_target, only_reference);
  };
  EXPECT_FALSE(is_lost(5, 0)) << "p = 1/16";
  EXPECT_TRUE(is_lost(6, 0)) << "p = 1/32";
  EXPECT_FALSE(is_lost(0, 6)) << "a gain";
  EXPECT_FALSE(is_significant(kAlpha)) << "as rare as the level is not rarer";
}

TEST(Significance, NoPairedTestLiesOnTheLevel) {  // So that < and <= decide equally.
  for (std::uint64_t a = 0; a <= 150; ++a)
    for (std::uint64_t b = 0; b <= a; ++b) EXPECT_NE(mcnemar_p(a, b), kAlpha) << a << " " << b;
}

TEST(Mcnemar, EqualsTheExactBinomialTail) {  // 2 * sum C(n, k) / 2^n with Python's fractions
  EXPECT_EQ(mcnemar_p(0, 0), 1);
  EXPECT_EQ(mcnemar_p(1, 0), 1);
  EXPECT_NEAR(mcnemar_p(5, 0), 0.0625, 1e-13);
  EXPECT_NEAR(mcnemar_p(10, 3), 0.09228515625, 1e-13);
  EXPECT_NEAR(mcnemar_p(3, 10), 0.09228515625, 1e-13);
  EXPECT_EQ(mcnemar_p(7, 7), 1);
  EXPECT_NEAR(mcnemar_p(100, 60), 0.001953728034064342, 1e-13);
  EXPECT_NEAR(mcnemar_p(1000, 900), 0.02310884510890107, 1e-12);
  EXPECT_NEAR(mcnemar_p(400, 0) / 7.745183829698637e-121, 1, 1e-10);
}

TEST(Bootstrap, OfAFractionIsTheBinomial) {
  // Mean of 100 draws from 30 ones and 70 zeros: Binomial(100, .3), quantiles 21 and 39 (exact sums
  // in Python).
  std::vector<double> values(100, 0.0);
  std::fill_n(values.begin(), 30, 1.0);
  const Interval interval = bootstrap_mean(values, 20000);
  EXPECT_NEAR(interval.low, 0.21, 0.0051);
  EXPECT_NEAR(interval.high, 0.39, 0.0051);
  // The same generator written in Python gives exactly these values.
  EXPECT_DOUBLE_EQ(bootstrap_mean(values).low, 0.21);
  EXPECT_DOUBLE_EQ(bootstrap_mean(values).high, 0.39);
  EXPECT_EQ(bootstrap_mean({}).high, 0);
  EXPECT_EQ(bootstrap_mean(std::vector{0.5}).low, 0.5);
}

TEST(RequiredSampleSize, FollowsConnor) {  // (z sqrt(psi) + z' sqrt(psi - d^2))^2 / d^2 in Python
  EXPECT_EQ(required_sample_size(10, 3, 100), 206u);
  EXPECT_EQ(required_sample_size(3, 10, 100), 206u);
  EXPECT_EQ(required_sample_size(1, 0, 50), 391u);
  EXPECT_EQ(required_sample_size(40, 20, 1000), 1175u);
  EXPECT_FALSE(required_sample_size(4, 4, 100));
  EXPECT_FALSE(required_sample_size(0, 0, 0));
}

}  // namespace
}  // namespace edgeprobe::stats
