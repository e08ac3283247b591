// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "postprocess/pose/recipe.h"

namespace edgeprobe::postprocess::pose {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two points as y, x, score: x .25 y .5, x .75 y 1.
const Tensor kPoints = make_tensor("points", {1, 1, 2, 3}, {0.5f, 0.25f, 0.9f, 1, 0.75f, 0.2f});

Result<trace::Answer> answer(const Recipe& recipe, const Tensor& output = kPoints,
                             Size picture = {200, 100}, Size model = {100, 100}) {
  const TensorView view = output;
  return run(recipe, std::span(&view, 1), picture, model);
}

TEST(Points, AreSharesOfThePicture) {
  const auto made = answer(*parse("keypoints(yxs) | points(pixels)"));
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(*made->points, ElementsAre(ElementsAre(50, 50, 0.9f), ElementsAre(150, 100, 0.2f)));
  EXPECT_FALSE(made->labels);
}

TEST(Points, OfALetterboxLieBesideItsBars) {
  // The picture covers 200 x 200 pixels, 50 rows below the top.
  const auto made = answer(*parse("keypoints(yxs) | points(letterbox_centered)"));
  ASSERT_TRUE(made);
  EXPECT_THAT(*made->points, ElementsAre(ElementsAre(50, 50, 0.9f), ElementsAre(150, 150, 0.2f)));
  const auto cut = answer(*parse("keypoints(yxs) | points(letterbox_centered, cut)"));
  EXPECT_THAT((*cut->points)[1], ElementsAre(150, 100, 0.2f));
}

TEST(Points, InPixelsOfTheModelAreDividedByItsSides) {
  const Tensor pixels = make_tensor("p", {1, 6}, {25, 50, 7, 75, 100, 7});
  const auto made = answer(*parse("keypoints(xy_, model_pixels) | points(shares)"), pixels);
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(*made->points, ElementsAre(ElementsAre(0.25f, 0.5f, 1), ElementsAre(0.75f, 1, 1)));
}

TEST(Points, BelowTheThresholdAreNotShown) {
  const auto made = answer(*parse("keypoints(yxs) | threshold(0.9) | points(pixels)"));
  ASSERT_TRUE(made);
  // float32's 0.9 is below the double 0.9.
  EXPECT_TRUE(std::isnan((*made->points)[0][0]));
  const auto lower = answer(*parse("keypoints(yxs) | threshold(0.3) | points(pixels)"));
  EXPECT_EQ((*lower->points)[0][0], 50);
  EXPECT_TRUE(std::isnan((*lower->points)[1][0]) && std::isnan((*lower->points)[1][1]));
  EXPECT_EQ((*lower->points)[1][2], 0.2f);
}

TEST(Points, HaveActivatedScoresAndNames) {
  Recipe recipe = *parse("keypoints(yxs) | sigmoid | labels(n.txt) | points(pixels)");
  recipe.labels->table.names = {"nose", "left_eye", "right_eye"};
  const auto made = answer(recipe);
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_NEAR((*made->points)[0][2], 0.7109495, 1e-6);  // 1 / (1 + exp(-.9))
  EXPECT_THAT(*made->labels, ElementsAre("nose", "left_eye"));
  recipe.labels->table.names = {"nose"};
  EXPECT_THAT(answer(recipe).error().what, HasSubstr("1 names for 2 points"));
}

TEST(Points, OutputsOfOtherCountsAreRefused) {
  EXPECT_THAT(answer(*parse("keypoints(xy) | points(pixels)")).error().what,
              HasSubstr("not points of 2 numbers"));
  EXPECT_THAT(answer(*parse("output(3) | keypoints(yxs)")).error().what,
              HasSubstr("counted from 0"));
}

}  // namespace
}  // namespace edgeprobe::postprocess::pose
