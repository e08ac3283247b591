// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::preprocess {
namespace {

using testing::HasSubstr;

std::string canonical(std::string_view text) {
  const auto recipe = parse_recipe(text);
  return recipe ? to_text(*recipe) : recipe.error().what;
}

Error refusal(std::string_view text) {
  auto recipe = parse_recipe(text);
  EXPECT_FALSE(recipe) << "parsed: " << text;
  return recipe ? Error{} : std::move(recipe).error();
}

TEST(RecipeText, CanonicalFormsReadBackAsThemselves) {
  for (const std::string text : {
           "crop(center, 0.875) | resize(224x160, bilinear, antialias=off, align=half_pixel) | "
           "color(rgb) | "
           "scale(-1..1) | layout(nhwc) | quantize(model) || dequantize | softmax | topk(5)",
           "letterbox(224x224, bicubic, antialias=on, align=half_pixel, a=-0.5, round=pillow, "
           "fill=114)",
           "letterbox(10x20, area, round=opencv, fill=0.5, place=top_left)",
           "rotate(270) | flip(vertical) | crop(square) | crop(square, 0.9) | crop(3, 4, 20x30)",
           "resize(short=256, bilinear, antialias=on, align=half_pixel, round=pillow) | "
           "crop(center, 224x224)",
           "matrix([0.299, 0.587, 0.114, 0.5, -0.4, -0.1, -0.2, -0.3, 0.5], offset=[0, 128, 128], "
           "round=uint8) | tone(rgb565) | tone(rgb565_filled)",
           "resize(short=256, area) | crop(center, 224x160, offset=floor)",
           "resize(8x8, nearest, align=legacy) | resize(8x8, nearest, align=half_pixel, "
           "grid=fixed16)",
           "resize(8x8, lanczos3, antialias=off, align=corners, edge=drop)",
           "resize(8x8, box, round=pillow12) | resize(9x9, lanczos4, antialias=off, "
           "align=half_pixel, round=opencv)",
           "gray | gray(3) | gray(round=opencv) | gray(3, round=pillow)",
           "normalize(mean=127.5, std=127.5) | normalize(mean=[0.485, 0.456, 0.406], std=[0.229, "
           "0.224, 0.225])",
           "cast(uint8) | quantize(scale=0.0078125, zero_point=-3, round=half_even) | cast(int16)",
       }) {
    EXPECT_EQ(canonical(text), text);
  }
}

TEST(RecipeText, BlanksLinesAndDefaultsDoNotMatter) {
  EXPECT_EQ(canonical("  resize( 4x6 )\n|scale(0..1)"),
            "resize(4x6, bilinear, antialias=off, align=half_pixel) | scale(0..1)");
}

TEST(RecipeText, LibraryNamesExpandToTheirParameters) {
  EXPECT_EQ(canonical("resize(4x4, bilinear, like=opencv)"),
            "resize(4x4, bilinear, antialias=off, align=half_pixel, round=opencv)");
  EXPECT_EQ(canonical("resize(4x4, bicubic, like=pillow)"),
            "resize(4x4, bicubic, antialias=on, align=half_pixel, a=-0.5, round=pillow)");
  EXPECT_EQ(canonical("resize(4x4, nearest, like=tensorflow)"),
            "resize(4x4, nearest, align=half_pixel, grid=float32)");
  EXPECT_EQ(canonical("resize(4x4, bicubic, like=tensorflow)"),
            "resize(4x4, bicubic, antialias=off, align=half_pixel, a=-0.5, edge=drop)");
  EXPECT_EQ(canonical("resize(4x4, bilinear, align=legacy, like=tensorflow)"),
            "resize(4x4, bilinear, antialias=off, align=legacy)");
}

TEST(RecipeText, UnknownWordsNameStepColumnAndTheNearestKnownWord) {
  const Error step = refusal("scale(0..1) | resze(224x224)");
  EXPECT_EQ(step.kind, ErrorKind::kUsage);
  EXPECT_THAT(step.what, HasSubstr("step 2"));
  EXPECT_THAT(step.what, HasSubstr("column 15"));
  EXPECT_THAT(step.what, HasSubstr("did you mean \"resize\""));
  EXPECT_THAT(refusal("resize(224x224, bilnear)").what, HasSubstr("did you mean \"bilinear\""));
  EXPECT_THAT(refusal("resize(224x224, bilinear, antilias=on)").what,
              HasSubstr("did you mean \"antialias\""));
  EXPECT_THAT(refusal("gray |\n\n color(grbx)").what, HasSubstr("line 3, column 8"));
}

TEST(RecipeText, RefusesWhatItCannotMean) {
  for (const std::string text : {
           "",
           "   ",
           "|",
           "resize(224x224) |",
           "resize(224x224",
           "resize 224x224)",
           "resize()",
           "resize(224)",
           "resize(0x4)",
           "resize(-1x4)",
           "resize(4x4, bilinear, bilinear)",
           "resize(4x4, antialias=on, antialias=on)",
           "resize(4x4, nearest, antialias=on)",
           "resize(4x4, bilinear, antialias=on, align=legacy)",
           "resize(4x4, box, round=opencv)",
           "resize(4x4, bilinear, round=pillow)",
           "crop(center)",
           "crop(center, 0)",
           "crop(center, 1.5)",
           "crop(center, 0x4)",
           "crop(center, 4x4, offset=up)",
           "crop(center, 4x4, down=1)",
           "crop(square, 4x4)",
           "resize(short=0)",
           "matrix([1, 2, 3])",
           "matrix()",
           "matrix([1, 0, 0, 0, 1, 0, 0, 0, 1], offset=[1, 2])",
           "tone(rgb565, gamma=2)",
           "resize(short=4x4)",
           "resize(short=99999)",
           "resize(8x8, short=4)",
           "crop(1, 2)",
           "scale(1..0)",
           "scale(0..nan)",
           "scale(0..inf)",
           "scale(1)",
           "normalize(mean=1)",
           "normalize(mean=1, std=0)",
           "normalize(mean=[1, 2], std=[1, 2, 3])",
           "normalize(mean=[1, 2, std=1)",
           "rotate(45)",
           "quantize()",
           "quantize(scale=1)",
           "cast(int4)",
           "layout(nchw) | resize(4x4)",
           "layout(nchw) | layout(nhwc)",
           "color(rgb, bgr)",
           "flip(a=b)",
       }) {
    EXPECT_EQ(refusal(text).kind, ErrorKind::kUsage) << text;
  }
}

TEST(RecipeText, StepsOfLaterVersionsAreRefusedAsSuch) {
  const Error error = refusal("yuv(nv21, bt601, limited)");
  EXPECT_EQ(error.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(error.what, HasSubstr("not supported in this version"));
}

TEST(RecipeText, LimitsHold) {
  EXPECT_THAT(refusal("resize(1000000x1000000)").what, HasSubstr("16384 a side"));
  EXPECT_THAT(refusal("resize(16384x16384)").what, HasSubstr("100 megapixels"));
  EXPECT_THAT(refusal("letterbox(99999999999999999999x1)").what, HasSubstr("size"));
  EXPECT_TRUE(parse_recipe("resize(16384x6103)"));

  std::string steps = "gray";
  for (std::size_t i = 1; i < kMostSteps; ++i) steps += " | gray";
  EXPECT_TRUE(parse_recipe(steps));
  EXPECT_EQ(refusal(steps + " | gray").kind, ErrorKind::kLimit);
  EXPECT_EQ(refusal(std::string(kMostRecipeText + 1, ' ')).kind, ErrorKind::kLimit);
}

TEST(DefaultRecipe, FollowsTheModelsInput) {
  const auto text = [](DType dtype, Shape shape, Quantization q = {}) {
    const auto recipe = default_recipe({"input", dtype, std::move(shape), std::move(q)});
    return recipe ? to_text(*recipe) : recipe.error().what;
  };
  const std::string resize = "resize(96x64, bilinear, antialias=off, align=half_pixel) | ";
  EXPECT_EQ(text(DType::kFloat32, {1, 96, 64, 3}),
            resize + "color(rgb) | scale(0..1) | layout(nhwc)");
  EXPECT_EQ(text(DType::kFloat32, {1, 3, 96, 64}),
            resize + "color(rgb) | scale(0..1) | layout(nchw)");
  EXPECT_EQ(text(DType::kFloat32, {1, 96, 64, 1}), resize + "gray | scale(0..1) | layout(nhwc)");
  EXPECT_EQ(text(DType::kUInt8, {1, 96, 64, 3}, {{0.0078125f}, {128}, 0}),
            resize + "color(rgb) | scale(-1..1) | quantize(model) | layout(nhwc)");
  EXPECT_EQ(text(DType::kInt8, {1, 96, 64, 3}, {{1.0f}, {-128}, 0}),
            resize + "color(rgb) | quantize(model) | layout(nhwc)");
  EXPECT_EQ(text(DType::kInt8, {1, 96, 64, 3}, {{1.0f / 255}, {-128}, 0}),
            resize + "color(rgb) | scale(0..1) | quantize(model) | layout(nhwc)");
  EXPECT_EQ(text(DType::kUInt8, {1, 96, 64, 3}),
            resize + "color(rgb) | cast(uint8) | layout(nhwc)");
  // MFCC features of a speech model: one channel, but not pixels.
  EXPECT_THAT(text(DType::kInt8, {1, 49, 10, 1}, {{0.5847f}, {83}, 0}),
              HasSubstr("not a usual range"));
  EXPECT_THAT(text(DType::kFloat32, {1, 784}), HasSubstr("give a recipe"));
  EXPECT_THAT(text(DType::kFloat32, {1, -1, -1, 3}), HasSubstr("give a recipe"));
  EXPECT_THAT(text(DType::kInt64, {1, 96, 64, 3}), HasSubstr("int64"));
}

}  // namespace
}  // namespace edgeprobe::preprocess
