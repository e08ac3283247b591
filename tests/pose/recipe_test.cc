// SPDX-License-Identifier: Apache-2.0
#include "postprocess/pose/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::postprocess::pose {
namespace {

using testing::HasSubstr;

std::string complaint(std::string_view text) {
  const auto recipe = parse(text);
  return recipe ? "none" : recipe.error().what;
}

TEST(PointRecipe, ATextBehindTheBarsIsOfPointsByItsSteps) {
  EXPECT_TRUE(is_pose("keypoints(yxs) | points(pixels)"));
  EXPECT_TRUE(is_pose("sigmoid | points(shares)"));
  EXPECT_FALSE(is_pose("dequantize | softmax"));
  EXPECT_FALSE(is_pose("points("));
}

TEST(PointRecipe, StepsAreRead) {
  const auto recipe = parse(
      "output(1) | dequantize | keypoints(xy_s_, model_pixels) | sigmoid | threshold(0.3) | "
      "labels(names.txt) | points(letterbox_centered, cut)");
  ASSERT_TRUE(recipe) << recipe.error().what;
  EXPECT_EQ(recipe->output, 1u);
  EXPECT_EQ(recipe->reading, Reading::kValues);
  EXPECT_EQ(recipe->numbers, "xy_s_");
  EXPECT_TRUE(recipe->are_model_pixels);
  EXPECT_EQ(recipe->activations, std::vector{Activation::kSigmoid});
  EXPECT_EQ(recipe->threshold, 0.3);
  EXPECT_EQ(recipe->labels->table.file, "names.txt");
  EXPECT_EQ(recipe->placement.scale, detection::Scale::kCentredLetterbox);
  EXPECT_TRUE(recipe->placement.is_cut);
}

TEST(PointRecipe, TheCanonicalTextReadsBackAsTheSame) {
  for (const char* text :
       {"codes | keypoints(yxs) | points(pixels)",
        "output(1) | dequantize | keypoints(xy, model_pixels) | points(shares, cut)",
        "codes | keypoints(xys) | sigmoid | sigmoid | threshold(0.25) | labels(a.txt) | "
        "points(letterbox)"}) {
    const auto recipe = parse(text);
    ASSERT_TRUE(recipe) << text << ": " << recipe.error().what;
    EXPECT_EQ(to_text(*recipe), text);
  }
}

TEST(PointRecipe, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_THAT(complaint("keypoint(yxs)"), HasSubstr("keypoints"));
  EXPECT_THAT(complaint("points(pixels)"), HasSubstr("keypoints(yxs): it is not there"));
  EXPECT_THAT(complaint("keypoints(xx)"), HasSubstr("x and y once"));
  EXPECT_THAT(complaint("keypoints(xyz)"), HasSubstr("column 11"));
  EXPECT_THAT(complaint("keypoints(xyss)"), HasSubstr("at most once"));
  EXPECT_THAT(complaint("keypoints(xy________________)"), HasSubstr("column 11"));
  EXPECT_THAT(complaint("keypoints(xy) | threshold(0.5)"), HasSubstr("have no score"));
  EXPECT_THAT(complaint("keypoints(yxs) | points(inches)"), HasSubstr("inches"));
  EXPECT_THAT(complaint("keypoints(yxs, feet)"), HasSubstr("feet"));
  EXPECT_THAT(complaint("threshold(1) | keypoints(yxs)"), HasSubstr("must come before"));
  EXPECT_THAT(complaint("keypoints(yxs) | keypoints(yxs)"), HasSubstr("appears twice"));
}

}  // namespace
}  // namespace edgeprobe::postprocess::pose
