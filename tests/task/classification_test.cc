// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "task/classification.h"

namespace edgeprobe::task {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(TopK, PrefersTheLowerIndexOfEqualScores) {
  EXPECT_EQ(top_k({0.1f, 0.7f, 0.2f, 0.7f}, 3), (std::vector<int>{1, 3, 2}));
  EXPECT_EQ(top_k({5, 5, 5}, 2), (std::vector<int>{0, 1}));
  EXPECT_EQ(top_k({1, 2}, 9), (std::vector<int>{1, 0}));
  EXPECT_TRUE(top_k({}, 3).empty());
}

TEST(TopK, RanksNanBehindEveryNumber) {
  EXPECT_EQ(top_k({kNan, -5, kNan, 1}, 4), (std::vector<int>{3, 1, 0, 2}));
  EXPECT_EQ(top_1({kNan, -5, kNan, 1}), 3);
  EXPECT_EQ(top_1({kNan, kNan}), -1);
  EXPECT_EQ(top_1({}), -1);
}

TensorSpec spec(Shape shape, DType dtype = DType::kFloat32) {
  return {"x", dtype, std::move(shape), {}};
}

TEST(ClassOutput, IsTheLastListOfScores) {
  EXPECT_EQ(class_output({spec({1, 10, 4}), spec({1, 1001})}), 1u);
  EXPECT_EQ(class_output({spec({1, 1001}), spec({1, 10, 4})}), 0u);
  EXPECT_EQ(class_output({spec({-1, 10})}), 0u);
  EXPECT_EQ(class_output({spec({10})}), 0u);
  EXPECT_EQ(class_output({spec({1, 1, 1, 2}, DType::kInt8)}), 0u);
  EXPECT_FALSE(class_output({spec({1, 1}), spec({}), spec({4, 10}), spec({1, -1}), spec({1, 0})}));
  EXPECT_FALSE(class_output({spec({1, 7}, DType::kOther)}));
}

TEST(AreProbabilities, AllowsTheRoundingOfTheTensor) {
  EXPECT_TRUE(are_probabilities({0.2f, 0.8f}, 0));
  EXPECT_FALSE(are_probabilities({0.2f, 0.9f}, 0));
  EXPECT_FALSE(are_probabilities({-0.2f, 1.2f}, 0));
  // 1001 x .001, each rounded to 0
  EXPECT_TRUE(are_probabilities(std::vector<float>(1001, 0.f), 1 / 256.0));
  EXPECT_FALSE(are_probabilities({0.9f, 0.9f}, 1 / 256.0));
  EXPECT_FALSE(are_probabilities({kNan, 1.f}, 0));
  EXPECT_FALSE(are_probabilities({1.f}, 0));
}

TEST(Margin, IsTheLeadOfTheWinner) {
  EXPECT_FLOAT_EQ(static_cast<float>(margin({0.1f, 0.6f, 0.3f})), 0.3f);
  EXPECT_EQ(margin({3}), 0);
}

}  // namespace
}  // namespace edgeprobe::task
