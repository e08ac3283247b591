// SPDX-License-Identifier: Apache-2.0
// Comparisons of answers: the paired test, its adjustment for several models, and verdicts.
#include <gtest/gtest.h>

#include "placement/accuracy/comparison.h"

namespace edgeprobe::placement {
namespace {

/// Frames of which `right` are right, from the frame `first` on.
Answers answers_of(std::size_t right, std::size_t all, std::size_t first = 0) {
  Answers answers;
  answers.classes = 10;
  answers.frames.assign(all, FrameAnswer{1, false, false});
  for (std::size_t i = 0; i < right; ++i) answers.frames[first + i] = FrameAnswer{0, true, true};
  return answers;
}

TEST(Comparison, IsOfTheFramesThatBothAnswered) {
  Answers base = answers_of(60, 100), model = answers_of(60, 100, 4);
  base.frames[10].reset();
  model.frames[99].reset();
  const Comparison pair = compared(base, {model}).front();
  EXPECT_EQ(pair.frames, 98u);
  EXPECT_EQ(pair.top_1.reference_better, 4u);
  EXPECT_EQ(pair.top_1.target_better, 4u);
  EXPECT_EQ(pair.top_1.p_value, 1);
  ASSERT_TRUE(pair.same);
  EXPECT_EQ(pair.same->sum, 90);
  EXPECT_EQ(pair.verdict, AccuracyVerdict::kNoDifference);
}

TEST(Comparison, IsExactAndAdjustedForFurtherModels) {
  // 6 frames that only the base gets right: 2 / 2^6 is below the level for one model. With three,
  // Holm's factor for the least p is 3.
  const Answers base = answers_of(6, 100), worse = answers_of(0, 100);
  const Comparison one = compared(base, {worse}).front();
  EXPECT_DOUBLE_EQ(one.top_1.p_value, 0.03125);
  EXPECT_DOUBLE_EQ(one.p_adjusted, 0.03125);
  EXPECT_EQ(one.verdict, AccuracyVerdict::kWorse);
  EXPECT_EQ(compared(worse, {base}).front().verdict, AccuracyVerdict::kBetter);
  const auto three = compared(base, {worse, base, worse});
  EXPECT_NEAR(three[0].p_adjusted, 0.09375, 1e-12);
  EXPECT_EQ(three[0].verdict, AccuracyVerdict::kNoDifference);
}

TEST(Comparison, WithoutADifferenceStillAllowsOne) {
  const Answers base = answers_of(90, 100);
  const Comparison pair = compared(base, {base}).front();
  EXPECT_EQ(pair.verdict, AccuracyVerdict::kNoDifference);
  // Wilson's upper bound for 0 of 100: z^2 / (100 + z^2).
  EXPECT_NEAR(pair.top_1.difference_ci95.high, 0.0369934982, 1e-9);
  EXPECT_NEAR(pair.top_1.difference_ci95.low, -0.0369934982, 1e-9);
}

TEST(Comparison, HasNoVerdictOnAPart) {
  const Answers base = answers_of(50, 100);
  Answers model = answers_of(0, 100);
  model.is_stopped = true;
  EXPECT_EQ(compared(base, {model}).front().verdict, AccuracyVerdict::kStopped);
}

TEST(Comparison, OfOtherClassesHasNoAgreement) {
  const Answers base = answers_of(50, 100);
  Answers model = base;
  model.classes = 11;
  EXPECT_FALSE(compared(base, {model}).front().same);
}

}  // namespace
}  // namespace edgeprobe::placement
