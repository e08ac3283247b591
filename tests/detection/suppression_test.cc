// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/suppression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::postprocess::detection {
namespace {

using testing::ElementsAre;

// Two boxes of 10 x 10 that share 8 columns: 80 of 120. A third one apart.
const std::vector<Detection> kThree{
    {{0, 0, 10, 10}, 1, 0.9}, {{2, 0, 12, 10}, 1, 0.8}, {{50, 0, 60, 10}, 2, 0.7}};

std::vector<double> scores_of(const std::vector<Detection>& boxes) {
  std::vector<double> scores;
  for (const Detection& one : boxes) scores.push_back(one.score);
  return scores;
}

TEST(Overlap, OfTheUnionOfTheSmallerAndOfWholePixels) {
  const Box a{0, 0, 10, 10}, b{5, 0, 25, 10};
  EXPECT_DOUBLE_EQ(overlap(a, b, OverlapOf::kUnion), 50.0 / 250);
  EXPECT_DOUBLE_EQ(overlap(a, b, OverlapOf::kSmallerArea), 50.0 / 100);
  // 11 x 11 and 21 x 11, of which 6 x 11 are common.
  EXPECT_DOUBLE_EQ(overlap(a, b, OverlapOf::kUnionOfPixels, 1, 1), 66.0 / (121 + 231 - 66));
}

TEST(Overlap, InvertedAndEmptyBoxesOverlapNothing) {
  EXPECT_EQ(overlap({10, 0, 0, 10}, {0, 0, 10, 10}, OverlapOf::kUnion), 0);
  EXPECT_EQ(overlap({5, 5, 5, 5}, {0, 0, 10, 10}, OverlapOf::kSmallerArea), 0);
}

TEST(Suppression, DropsTheLowerScoreAboveTheLimit) {
  Suppression rule;
  rule.limit = 0.6;
  EXPECT_THAT(scores_of(suppressed(kThree, rule)), ElementsAre(0.9, 0.7));
  rule.limit = 0.7;
  EXPECT_THAT(scores_of(suppressed(kThree, rule)), ElementsAre(0.9, 0.8, 0.7));
}

TEST(Suppression, RivalsAreOfOneClassOrOfAll) {
  std::vector<Detection> boxes = kThree;
  boxes[1].id = 7;
  Suppression rule;
  EXPECT_EQ(suppressed(boxes, rule).size(), 3u);
  rule.rivals = Rivals::kAllClasses;
  EXPECT_EQ(suppressed(boxes, rule).size(), 2u);
  rule.rivals = Rivals::kNone;
  EXPECT_EQ(suppressed(boxes, rule).size(), 3u);
}

TEST(Suppression, SortsUnlessToldOtherwiseAndEqualScoresKeepTheirOrder) {
  std::vector<Detection> boxes{kThree[2], kThree[1], kThree[0]};
  Suppression rule;
  EXPECT_THAT(scores_of(suppressed(boxes, rule)), ElementsAre(0.9, 0.7));
  rule.is_sorted = false;
  EXPECT_THAT(scores_of(suppressed(boxes, rule)), ElementsAre(0.7, 0.8));
  boxes = kThree;
  boxes[1].score = 0.9;
  rule.is_sorted = true;
  EXPECT_EQ(suppressed(boxes, rule)[0].box, kThree[0].box);
}

TEST(Suppression, ABoxAtTheLimitIsOptionalAndCountsTowardsNothing) {
  Suppression rule;
  rule.limit = 80.0 / 120 + 5e-5;
  rule.most = 2;
  const auto boxes = suppressed(kThree, rule);
  ASSERT_EQ(boxes.size(), 3u);
  EXPECT_FALSE(boxes[0].is_optional);
  EXPECT_TRUE(boxes[1].is_optional);
  EXPECT_TRUE(boxes[2].is_optional);  // The second counted one, if the one before it is dropped.
  rule.limit += 1e-3;
  EXPECT_EQ(suppressed(kThree, rule)[1].score, 0.8);
  rule.limit -= 2e-3;
  EXPECT_EQ(suppressed(kThree, rule)[1].score, 0.7);
}

}  // namespace
}  // namespace edgeprobe::postprocess::detection
