// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "preprocess/recipe/recipe.h"
#include "sensor/series.h"

namespace edgeprobe::preprocess {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  const auto recipe = parse_recipe(text);
  return recipe ? "" : recipe.error().what;
}

Result<Tensor> made(const std::string& text, const sensor::Series& series,
                    DType dtype = DType::kFloat32) {
  const auto recipe = parse_recipe(text);
  if (!recipe) return recipe.error();
  return apply(*recipe, series, {"input", dtype, {-1}, {{0.5f}, {1}, 0}});
}

std::vector<float> values(const std::string& text, const sensor::Series& series,
                          DType dtype = DType::kFloat32) {
  const auto tensor = made(text, series, dtype);
  EXPECT_TRUE(tensor) << tensor.error().what;
  return tensor ? *stored_as_float(*tensor) : std::vector<float>{};
}

/// Two axes: 0 1 2 3 4 5 and 10 20 30 40 50 60.
const sensor::Series kRamp{{0, 10, 1, 20, 2, 30, 3, 40, 4, 50, 5, 60}, 2, 0};

TEST(ReadingsRecipe, CanonicalTextParsesToTheSameFrontEnd) {
  for (const char* const text :
       {"axes(z, -x, y) | scale(1/16384) | rate(50, mean, from=100) | window(128, offset=3) | "
        "normalize(mean=[1, 2, 3], std=2)",
        "axes(a4, -a0, at=end) | layout(axes_first) | quantize(scale=0.5, zero_point=-3, "
        "round=trunc, sign=flipped)",
        "window(64, offset=-2, at=end, fill=zero_last, roll=7, kept=60, order=newest_first) | "
        "normalize(window=mean_variance, over=all)",
        "axes(all) | quantize(model)", "rate(12.5)"}) {
    const auto recipe = parse_recipe(text);
    ASSERT_TRUE(recipe) << recipe.error().what;
    const auto again = parse_recipe(to_text(*recipe));
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(*readings_of(*again), *readings_of(*recipe)) << text;
    EXPECT_EQ(to_text(*again), to_text(*recipe));
    for (const Spelled& step : spelled(*recipe)) EXPECT_FALSE(step.meaning.empty()) << step.text;
  }
}

TEST(ReadingsRecipe, StepsRunInTheirOrder) {
  EXPECT_THAT(values("axes(y, -x) | scale(2) | window(2, offset=1)", kRamp),
              ElementsAre(40, -2, 60, -4));
  // ((20 - 10) / 5, (1 - 0.5) / 0.25), then the next step.
  EXPECT_THAT(
      values("axes(y, x) | window(2, offset=1) | normalize(mean=[10, 0.5], std=[5, 0.25])", kRamp),
      ElementsAre(2, 2, 4, 6));
  EXPECT_THAT(values("axes(x, y) | window(2, at=end) | layout(axes_first)", kRamp),
              ElementsAre(4, 5, 50, 60));
  // The least and largest value of each axis become 0 and 1.
  EXPECT_THAT(values("axes(x, y) | window(3) | normalize(window=range)", kRamp),
              ElementsAre(0, 0, 0.5, 0.5, 1, 1));
  EXPECT_THAT(values("axes(x) | window(3) | normalize(low=2, high=4)", kRamp),
              ElementsAre(-1, -0.5, 0));
}

TEST(ReadingsRecipe, RatesTakeOrMakeSteps) {
  EXPECT_THAT(values("axes(x) | rate(50, nearest, from=100)", kRamp), ElementsAre(0, 2, 4));
  EXPECT_THAT(values("axes(x) | rate(50, mean, from=100)", kRamp), ElementsAre(0.5, 2.5, 4.5));
  EXPECT_THAT(values("axes(x) | rate(200, from=100) | window(4)", kRamp),
              ElementsAre(0, 0.5, 1, 1.5));
  sensor::Series known = kRamp;
  known.rate = 100;
  EXPECT_THAT(values("axes(x) | rate(50, nearest)", known), ElementsAre(0, 2, 4));
}

TEST(ReadingsRecipe, WindowsAreFilledAsTheyAreTold) {
  EXPECT_THAT(values("axes(x) | window(4, offset=4, fill=zero) | normalize(mean=1, std=1)", kRamp),
              ElementsAre(3, 4, -1, -1));
  EXPECT_THAT(
      values("axes(x) | window(4, offset=4, fill=zero_last) | normalize(mean=1, std=1)", kRamp),
      ElementsAre(3, 4, 0, 0));
  EXPECT_THAT(values("axes(x) | window(4, offset=4, fill=edge)", kRamp), ElementsAre(4, 5, 5, 5));
  EXPECT_THAT(values("axes(x) | window(4, kept=2, fill=edge)", kRamp), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(values("axes(x) | window(4, roll=1)", kRamp), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(values("axes(x) | window(4, order=newest_first)", kRamp), ElementsAre(3, 2, 1, 0));
}

TEST(ReadingsRecipe, CodesFollowTheModelOrTheText) {
  // x / 0.5 + 1: 1 3 5 7; halves away from zero.
  EXPECT_THAT(values("axes(x) | window(4) | quantize(model)", kRamp, DType::kInt8),
              ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(values("axes(-x) | window(3) | quantize(scale=2, zero_point=0)", kRamp, DType::kInt8),
              ElementsAre(0, -1, -1));
  EXPECT_THAT(values("axes(-x) | window(3) | quantize(scale=2, zero_point=0, round=trunc)", kRamp,
                     DType::kInt8),
              ElementsAre(0, 0, -1));
  EXPECT_THAT(
      values("axes(y) | window(2) | quantize(scale=0.1, zero_point=0)", kRamp, DType::kInt8),
      ElementsAre(100, 127));
  EXPECT_THAT(values("axes(y) | window(2) | quantize(scale=0.1, zero_point=0, round=wrap)", kRamp,
                     DType::kInt8),
              ElementsAre(100, -56));
  EXPECT_THAT(made("axes(x) | window(4)", kRamp, DType::kInt8).error().what,
              HasSubstr("add quantize(model)"));
}

TEST(ReadingsRecipe, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_THAT(refusal("axes(x, w)"), HasSubstr("column 9"));
  EXPECT_THAT(refusal("axes(x) | mel(40, 20..4000)"), HasSubstr("sensor's readings"));
  EXPECT_THAT(refusal("window(5) | axes(x)"), HasSubstr("axes runs before window"));
  EXPECT_THAT(refusal("axes(x, y) | normalize(mean=[1, 2, 3])"), HasSubstr("3 numbers"));
  EXPECT_THAT(refusal("axes(x) | normalize(std=0)"), HasSubstr("divided by 0"));
  EXPECT_THAT(refusal("rate(0)"), HasSubstr("column"));
  EXPECT_THAT(made("axes(x) | window(9)", kRamp).error().what,
              HasSubstr("wants steps 0 to 8 of 6"));
  EXPECT_THAT(made("axes(z)", kRamp).error().what, HasSubstr("have 2 axes"));
  EXPECT_THAT(made("rate(50)", kRamp).error().what, HasSubstr("from=HZ"));
  EXPECT_THAT(made("window(16000000, fill=edge)", kRamp).error().what, HasSubstr("not made"));
  EXPECT_THAT(made("resize(4x4)", kRamp).error().what, HasSubstr("readings of a sensor"));
}

TEST(ReadingsRecipe, ReadingsAreStepsOfAxes) {
  const Tensor good = make_tensor("a", {1, 3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(sensor::series_from(good)->steps(), 3u);
  EXPECT_EQ(sensor::series_from(make_tensor("a", {3}, {1, 2, 3}))->axes, 1);
  EXPECT_THAT(sensor::series_from(make_tensor("a", {2, 1, 3}, {1, 2, 3, 4, 5, 6})).error().what,
              HasSubstr("[steps, axes]"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(sensor::series_from(make_tensor("a", {2, 2}, {1, 2, nan, 4})).error().what,
              HasSubstr("step 1, axis 0"));
}

}  // namespace
}  // namespace edgeprobe::preprocess
