// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// 2 x 2 pixels: red, green over blue, white.
Image four() { return {2, 2, 3, {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255}}; }
/// 2 x 3 gray pixels 1 2 3 over 4 5 6.
Image six() { return {2, 3, 1, {1, 2, 3, 4, 5, 6}}; }

template <class T>
std::vector<T> values(const Result<Tensor>& tensor) {
  if (!tensor) {
    ADD_FAILURE() << tensor.error().what;
    return {};
  }
  std::vector<T> out(tensor->bytes.size() / sizeof(T));
  std::memcpy(out.data(), tensor->bytes.data(), tensor->bytes.size());
  return out;
}

Result<Tensor> run(std::string_view recipe, const Image& image, DType dtype, Shape shape,
                   Quantization q = {}) {
  return apply(*parse_recipe(recipe), image, {"input", dtype, std::move(shape), std::move(q)});
}

TEST(Apply, TurnsAndFlips) {
  EXPECT_THAT(values<float>(run("rotate(90)", six(), DType::kFloat32, {1, 3, 2, 1})),
              ElementsAre(4, 1, 5, 2, 6, 3));
  EXPECT_THAT(values<float>(run("rotate(180)", six(), DType::kFloat32, {2, 3})),
              ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(values<float>(run("rotate(270)", six(), DType::kFloat32, {1, 1, 3, 2})),
              ElementsAre(3, 6, 2, 5, 1, 4));
  EXPECT_THAT(values<float>(run("flip(horizontal)", six(), DType::kFloat32, {1, 2, 3})),
              ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(values<float>(run("flip(vertical)", six(), DType::kFloat32, {1, 6})),
              ElementsAre(4, 5, 6, 1, 2, 3));
}

TEST(Apply, KeepsTheAspectRatioByTheShorterSide) {
  // 2x3 by nearest: 4 and floor(4 * 3 / 2) = 6; then the middle, 2.5 columns from the left: to the
  // even number.
  const auto wide = values<float>(run("resize(short=4, nearest)", six(), DType::kFloat32, {4, 6}));
  EXPECT_THAT(wide,
              ElementsAre(1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 4, 4, 5, 5, 6, 6));
  EXPECT_THAT(values<float>(run("resize(short=4, nearest) | crop(center, 2x1)", six(),
                                DType::kFloat32, {2, 1})),
              ElementsAre(2, 5));
  // 0.5 and 0.5: 0 and 0.
  EXPECT_THAT(values<float>(run("crop(center, 1x2)", six(), DType::kFloat32, {1, 2})),
              ElementsAre(1, 2));
  EXPECT_THAT(run("crop(center, 4x2)", six(), DType::kFloat32, {4, 2}).error().what,
              HasSubstr("which is 2x3 here"));
  EXPECT_THAT(run("crop(center, 2x4)", six(), DType::kFloat32, {2, 4}).error().what,
              HasSubstr("reaches outside"));
  const Image line{1, 2000, 1, std::vector<std::uint8_t>(2000)};
  EXPECT_THAT(
      run("resize(short=16) | crop(center, 16x16)", line, DType::kFloat32, {16, 16}).error().what,
      HasSubstr("the longer one has 32000 pixels"));
}

TEST(Apply, CropsWithOffsetsRoundedDown) {
  // The square of 3 x 2 has its corner at column (3 - 2) / 2 = 0.
  EXPECT_THAT(values<float>(run("crop(square)", six(), DType::kFloat32, {2, 2})),
              ElementsAre(1, 2, 4, 5));
  // round(2 * 0.7) = 1 row from 0, round(3 * 0.7) = 2 columns from 0.
  EXPECT_THAT(values<float>(run("crop(center, 0.7)", six(), DType::kFloat32, {1, 2})),
              ElementsAre(1, 2));
  EXPECT_THAT(values<float>(run("crop(1, 1, 1x2)", six(), DType::kFloat32, {1, 2})),
              ElementsAre(5, 6));
  EXPECT_THAT(run("crop(1, 1, 2x2)", six(), DType::kFloat32, {2, 2}).error().what,
              HasSubstr("which is 2x3 here"));
}

TEST(Apply, LetterboxKeepsTheRatio) {
  // 2 x 3 into 4 x 3: content 2 x 3, one row of 9 above and below.
  EXPECT_THAT(values<float>(run("letterbox(4x3, nearest, fill=9)", six(), DType::kFloat32, {4, 3})),
              ElementsAre(9, 9, 9, 1, 2, 3, 4, 5, 6, 9, 9, 9));
  EXPECT_THAT(values<float>(run("letterbox(3x3, nearest, fill=0, place=top_left)", six(),
                                DType::kFloat32, {3, 3})),
              ElementsAre(1, 2, 3, 4, 5, 6, 0, 0, 0));
}

TEST(Apply, OrdersChannelsAndStoresPlanes) {
  EXPECT_THAT(values<std::uint8_t>(run("color(bgr)", four(), DType::kUInt8, {1, 2, 2, 3})),
              ElementsAre(0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255));
  EXPECT_THAT(
      values<std::uint8_t>(run("color(rgb) | layout(nchw)", four(), DType::kUInt8, {1, 3, 2, 2})),
      ElementsAre(255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255));
  EXPECT_THAT(
      values<std::uint8_t>(run("color(rgb)", Image{1, 1, 1, {7}}, DType::kUInt8, {1, 1, 1, 3})),
      ElementsAre(7, 7, 7));
  // 0.299 * 255 = 76.245: red stays red after a swap.
  EXPECT_NEAR(values<float>(run("color(bgr) | gray", four(), DType::kFloat32, {2, 2}))[0], 76.245,
              1e-4);
}

TEST(Apply, ScalesNormalisesAndQuantises) {
  EXPECT_THAT(values<float>(run("scale(-1..1)", Image{1, 2, 1, {0, 255}}, DType::kFloat32, {1, 2})),
              ElementsAre(-1, 1));
  EXPECT_THAT(values<float>(run("normalize(mean=[1, 2, 3], std=2)", Image{1, 1, 3, {5, 6, 7}},
                                DType::kFloat32, {1, 1, 3})),
              ElementsAre(2, 2, 2));
  const Quantization half{{2.0f}, {-10}, 0};
  // 3 / 2 = 1.5, 5 / 2 = 2.5.
  const Image odd{1, 2, 1, {3, 5}};
  EXPECT_THAT(values<std::int8_t>(run("quantize(model)", odd, DType::kInt8, {1, 2}, half)),
              ElementsAre(-8, -7));
  EXPECT_THAT(
      values<std::int8_t>(run("quantize(model, round=half_even)", odd, DType::kInt8, {1, 2}, half)),
      ElementsAre(-8, -8));
  EXPECT_THAT(
      values<std::int8_t>(run("quantize(model, round=floor)", odd, DType::kInt8, {1, 2}, half)),
      ElementsAre(-9, -8));
  EXPECT_THAT(values<std::int8_t>(run("quantize(scale=1, zero_point=0)", Image{1, 1, 1, {200}},
                                      DType::kInt8, {1, 1})),
              ElementsAre(127));
  EXPECT_THAT(values<std::int16_t>(run("quantize(scale=0.01, zero_point=0)", Image{1, 1, 1, {200}},
                                       DType::kInt16, {1, 1})),
              ElementsAre(20000));
}

TEST(Apply, StoresHalfPrecision) {
  // 1.0 is 0x3c00; 1/3 rounds to 0x3555; 255 is 0x5bf8; 2^-24 is the smallest subnormal.
  EXPECT_THAT(
      values<std::uint16_t>(run("scale(0..1)", Image{1, 2, 1, {255, 85}}, DType::kFloat16, {1, 2})),
      ElementsAre(0x3c00, 0x3555));
  EXPECT_THAT(
      values<std::uint16_t>(run("cast(float16)", Image{1, 1, 1, {255}}, DType::kFloat16, {1, 1})),
      ElementsAre(0x5bf8));
  EXPECT_THAT(values<std::uint16_t>(run("scale(0..5.9604644775390625e-8)", Image{1, 1, 1, {255}},
                                        DType::kFloat16, {1, 1})),
              ElementsAre(0x0001));
}

TEST(Apply, OpenDimensionsTakeWhatTheRecipeMakes) {
  const auto tensor = run("color(rgb)", four(), DType::kFloat32, {-1, -1, -1, 3});
  ASSERT_TRUE(tensor) << tensor.error().what;
  EXPECT_EQ(tensor->spec.shape, (Shape{1, 2, 2, 3}));
}

TEST(Apply, NamesTheStepThatWouldHaveToChange) {
  const auto what = [](const Result<Tensor>& tensor) {
    return tensor ? std::string("no error") : tensor.error().what;
  };
  EXPECT_THAT(what(run("color(rgb)", four(), DType::kFloat32, {1, 3, 2, 2})),
              HasSubstr("add layout(nchw)"));
  EXPECT_THAT(what(run("color(rgb)", four(), DType::kFloat32, {1, 2, 2, 1})),
              HasSubstr("add gray"));
  EXPECT_THAT(what(run("gray", four(), DType::kFloat32, {1, 2, 2, 3})),
              HasSubstr("add color(rgb)"));
  EXPECT_THAT(what(run("color(rgb)", four(), DType::kFloat32, {1, 8, 8, 3})),
              HasSubstr("change the last resize"));
  EXPECT_THAT(what(run("color(rgb)", four(), DType::kInt8, {1, 2, 2, 3})),
              HasSubstr("add quantize(model)"));
  EXPECT_THAT(what(run("scale(0..1)", four(), DType::kUInt8, {1, 2, 2, 3})),
              HasSubstr("add quantize(model)"));
  EXPECT_THAT(what(run("cast(uint8)", four(), DType::kInt8, {1, 2, 2, 3})),
              HasSubstr("change its cast"));
  EXPECT_THAT(what(run("quantize(model)", four(), DType::kInt8, {1, 2, 2, 3})),
              HasSubstr("no quantisation parameters"));
  EXPECT_THAT(what(run("quantize(model)", four(), DType::kFloat32, {1, 2, 2, 3})),
              HasSubstr("leave this step out"));
  EXPECT_THAT(what(run("scale(0..1) | resize(4x4, bilinear, like=opencv)", four(), DType::kFloat32,
                       {1, 4, 4, 3})),
              HasSubstr("step 2"));
  EXPECT_THAT(what(run("normalize(mean=[1, 2], std=1)", four(), DType::kFloat32, {1, 2, 2, 3})),
              HasSubstr("2 values"));
  EXPECT_THAT(what(run("color(rgb)", Image{2, 2, 3, {1}}, DType::kFloat32, {1, 2, 2, 3})),
              HasSubstr("no pixels"));
}

TEST(Apply, ValuesStayFinite) {
  std::string recipe = "scale(0..1000000000)";
  for (int i = 0; i < 8; ++i) recipe += " | normalize(mean=0, std=0.000000001)";
  const auto tensor = run(recipe, six(), DType::kFloat32, {2, 3});
  ASSERT_FALSE(tensor);
  EXPECT_THAT(tensor.error().what, HasSubstr("range of float32"));
}

TEST(Explain, ShowsTheImageAndEveryStepAsAPicture) {
  const TensorSpec spec{"input", DType::kFloat32, {1, 2, 2, 3}, {}};
  const auto steps = explain(
      *parse_recipe("color(bgr) | normalize(mean=127.5, std=127.5) | layout(nhwc)"), four(), spec);
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 4u);
  EXPECT_EQ((*steps)[0].step, "image");
  EXPECT_EQ((*steps)[1].step, "color(bgr)");
  EXPECT_EQ((*steps)[2].note, "2x2x3, BGR, real values -1..1");
  // The model's view: red has become blue, and the range is undone for display.
  EXPECT_THAT(picture((*steps)[3]).pixels,
              ElementsAre(0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255));
}

TEST(Explain, StopsBeforeItsPicturesFillTheMemory) {
  // 8192 x 4096 x 3 floats are 403 MB: the third passes 1 GB.
  std::string recipe = "resize(8192x4096, nearest)";
  for (int i = 0; i < 2; ++i) recipe += " | color(rgb)";
  const auto steps =
      explain(*parse_recipe(recipe), four(), {"input", DType::kFloat32, {1, 8192, 4096, 3}, {}});
  ASSERT_FALSE(steps);
  EXPECT_EQ(steps.error().kind, ErrorKind::kLimit);
}

}  // namespace
}  // namespace edgeprobe::preprocess
