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

// MediaPipe's weighted suppression by hand: .9 and .6 share 9 of 11 columns, .5 lies apart.
TEST(Suppression, WeightedBoxesAreTheMeanOfWhatTheyDrop) {
  Suppression rule;
  rule.rivals = Rivals::kAllClasses, rule.limit = 0.5, rule.near = 0, rule.is_weighted = true;
  const std::vector<Detection> all{
      {{0, 0, .10, 1}, 0, .9}, {{.01, 0, .11, 1}, 1, .6}, {{.5, 0, .6, 1}, 0, .5}};
  const auto kept = suppressed(all, rule);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_NEAR(kept[0].box.x1, .6 * .01 / 1.5, 1e-12);
  EXPECT_NEAR(kept[0].box.x2, (.9 * .10 + .6 * .11) / 1.5, 1e-12);
  EXPECT_EQ(kept[0].score, .9);
  EXPECT_NEAR(kept[1].box.x1, .5, 1e-12);
  rule.rivals = Rivals::kSameClass;
  EXPECT_EQ(suppressed(all, rule).size(), 3u);
}

TEST(Suppression, ClassesThatAreMovedFarEnoughDoNotMeet) {
  Suppression rule;
  rule.rivals = Rivals::kAllClasses, rule.limit = 0.5, rule.near = 0;
  rule.pixel_width = rule.pixel_height = 0.01;  // An input of 100 x 100.
  const std::vector<Detection> all{{{0, 0, .5, .5}, 0, .9}, {{0, 0, .5, .5}, 1, .8}};
  EXPECT_EQ(suppressed(all, rule).size(), 1u);
  rule.class_offset = 4;  // 46 x 46 of 50 x 50 pixels are shared: 2116 / 2884.
  EXPECT_EQ(suppressed(all, rule).size(), 1u);
  rule.class_offset = 50;
  EXPECT_EQ(suppressed(all, rule).size(), 2u);
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
