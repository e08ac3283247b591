// SPDX-License-Identifier: Apache-2.0
// Student's t against tables and closed forms.
#include "stats/significance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace edgeprobe::stats {
namespace {

TEST(Student, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_t(0.05, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_t(0.05, 2), 4.30265, 1e-5);
  EXPECT_NEAR(student_t(0.05, 5), 2.57058, 1e-5);
  EXPECT_NEAR(student_t(0.05, 29), 2.04523, 1e-5);
  EXPECT_NEAR(student_t(0.01, 9), 3.24984, 1e-5);
  EXPECT_NEAR(student_t(0.05, 1e6), 1.95997, 1e-4);
}

TEST(Student, ChancesOfASingleDegreeAreThoseOfCauchy) {
  for (const double t : {0.1, 1.0, 3.0, 50.0})
    EXPECT_NEAR(student_p(t, 1), 1 - 2 * std::atan(t) / M_PI, 1e-12);
  EXPECT_EQ(student_p(0, 7), 1);
  EXPECT_EQ(student_p(INFINITY, 7), 0);
}

TEST(MeanTest, IsStudentsWithTheClosedFormOfFourDegrees) {
  // By hand: t = 2.41883; with s = t / sqrt(4 + t^2) the chance of a larger |t| is 1 - s (1 + (1 -
  // s^2) / 2).
  const MeanTest test = mean_test(std::vector<double>{0.1, 0.3, -0.05, 0.2, 0.15});
  EXPECT_NEAR(test.mean, 0.14, 1e-12);
  EXPECT_NEAR(test.p, 0.0728551, 1e-7);
  EXPECT_NEAR(test.low, -0.0206984, 1e-6);
  EXPECT_NEAR(test.high, 0.3006984, 1e-6);
}

TEST(MeanTest, OfTooFewValuesSaysNothing) {
  for (const auto& values : {std::vector<double>{}, {5.0}}) {
    const MeanTest test = mean_test(values);
    EXPECT_EQ(test.p, 1);
    EXPECT_TRUE(std::isinf(test.low) && std::isinf(test.high));
  }
  EXPECT_EQ(mean_test(std::vector<double>{0, 0, 0}).p, 1);
  EXPECT_EQ(mean_test(std::vector<double>{0.25, 0.25, 0.25}).p, 0);
}

}  // namespace
}  // namespace edgeprobe::stats
