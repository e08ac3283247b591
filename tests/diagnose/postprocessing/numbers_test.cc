// SPDX-License-Identifier: Apache-2.0
// The search behind embeddings and anomaly detectors on answers that are written by hand; NumPy
// plants many more (bench/numbers).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "diagnose/postprocessing/numbers/scores.h"
#include "diagnose/postprocessing/numbers/vectors.h"
#include "search/search.h"

namespace edgeprobe::diagnose::numbers {
namespace {

using testing::HasSubstr;

TEST(Precision, FindsDecimalsAndHalves) {
  EXPECT_DOUBLE_EQ(precision_of({0.125f, 3.5f, -7.25f}, 0.1).half_unit, 0.0005);
  EXPECT_EQ(precision_of({0.1234567f, 0.7654321f}, 0.1).half_unit, 0);
  // Too coarse for the values: something other than rounding.
  EXPECT_EQ(precision_of({0, 1, 0, 1, 1}, 0.1).half_unit, 0.005);
  EXPECT_EQ(precision_of({0, 1, 0, 1, 1}, 0.5).half_unit, 0.05);
  EXPECT_TRUE(precision_of({0.5, 0.333251953125, -1024}, 0.1).is_float16);
  EXPECT_FALSE(precision_of({0.3333}, 0.1).is_float16);
}

TEST(ShortestBetween, IsWhatSomebodyWouldType) {
  EXPECT_DOUBLE_EQ(shortest_between(11.7, 12.6), 12);
  EXPECT_DOUBLE_EQ(shortest_between(1234, 5678), 5000);
  EXPECT_NEAR(shortest_between(0.00123, 0.00126), 0.00126, 1e-12);
  EXPECT_DOUBLE_EQ(shortest_between(-0.3, 0.4), 0);
  EXPECT_EQ(shortest_between(0.3, 0.3000001), 0.3000001);
}

TEST(Factors, CountEachFactorOnce) {
  Factors factors;
  factors.add(1.0000001, 1e-6);
  EXPECT_EQ(factors.bits(), 0);
  factors.add(49, 1e-6);
  const double once = factors.bits();
  EXPECT_GT(once, 10);
  factors.add(49.00001, 1e-6);
  EXPECT_EQ(factors.bits(), once);
  factors.add(48, 1e-6);
  EXPECT_EQ(factors.bits(), 2 * once);
}

RecordedFrame window(std::uint32_t number, float error, bool is_alarm) {
  RecordedFrame frame{
      number, {make_tensor("x", {1, 2}, {0, 0})}, {make_tensor("y", {1, 2}, {error, -error})}, {}};
  frame.answer.score = error * error;
  frame.answer.alarm = is_alarm;
  return frame;
}

TEST(Scores, AThresholdIsProvenByManyAlarmsAlone) {
  const auto recipe = *postprocess::anomaly::parse("score(mse) | threshold(100)");
  const auto search = [&](std::size_t frames) {
    std::vector<RecordedFrame> all;
    for (std::size_t i = 0; i < frames; ++i)
      all.push_back(
          window(static_cast<std::uint32_t>(i), 1 + static_cast<float>(i), i >= frames / 2));
    Scores scores(all, recipe);
    return *search::search<Scores::Recipe>(scores, Control{});
  };
  const auto many = search(10);
  ASSERT_EQ(many.status, search::SearchStatus::kExact);
  EXPECT_TRUE(many.explanations[0].is_proven);
  EXPECT_THAT(many.explanations[0].changes[0].words, HasSubstr("above 25 and at most 36"));
  const auto few = search(4);
  ASSERT_EQ(few.status, search::SearchStatus::kExact);
  EXPECT_FALSE(few.explanations[0].is_proven);
}

TEST(Scores, AnInfiniteScoreIsNotTheReferences) {
  std::vector<RecordedFrame> all;
  for (std::uint32_t i = 0; i < 6; ++i) {
    all.push_back(window(i, 2 + static_cast<float>(i), true));
    all.back().answer.score = std::numeric_limits<float>::infinity();
  }
  Scores scores(all, *postprocess::anomaly::parse("score(mse) | threshold(1)"));
  const auto found = *search::search<Scores::Recipe>(scores, Control{});
  EXPECT_EQ(found.unlike.size(), all.size());
  EXPECT_NE(found.status, search::SearchStatus::kExact);
}

TEST(Scores, OfAlarmsAloneNothingIsConfirmed) {
  std::vector<RecordedFrame> all;
  for (std::uint32_t i = 0; i < 12; ++i) {
    all.push_back(window(i, 1 + static_cast<float>(i), i >= 6));
    all.back().answer.score.reset();
  }
  Scores scores(all, *postprocess::anomaly::parse("score(mse) | threshold(100)"));
  const auto found = *search::search<Scores::Recipe>(scores, Control{});
  ASSERT_EQ(found.status, search::SearchStatus::kExact);
  EXPECT_FALSE(found.explanations[0].is_proven);
}

TEST(Vectors, ALengthThatIsFittedIsPaidFor) {
  RecordedFrame frame{0, {}, {make_tensor("y", {1, 4}, {1, 2, 3, 4})}, {}};
  frame.answer.vector = {1, 2};
  const std::vector<RecordedFrame> frames{frame};
  Vectors vectors(frames, *postprocess::embedding::parse("normalize(none)"));
  const auto found = *search::search<Vectors::Recipe>(vectors, Control{});
  ASSERT_EQ(found.status, search::SearchStatus::kExact);
  EXPECT_THAT(found.explanations[0].changes[0].words, HasSubstr("keeps the first 2 numbers"));
  EXPECT_GT(found.explanations[0].changes[0].free_bits, 0);
}

}  // namespace
}  // namespace edgeprobe::diagnose::numbers
