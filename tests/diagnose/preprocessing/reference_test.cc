// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace edgeprobe::diagnose::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Reference, IsTakenApartIntoItsParts) {
  const Reference r = reference(
      "rotate(90) | crop(square) | resize(8x8, bilinear) | color(bgr) | scale(-1..1)", floats(8));
  EXPECT_EQ(r.height, 8);
  EXPECT_EQ(r.channels, 3);
  EXPECT_EQ(r.orientation, 1);
  EXPECT_EQ(r.geometry.size(), 2u) << "without the turn";
  EXPECT_TRUE(r.resizes);
  EXPECT_EQ(r.mixing.name, "BGR");
  EXPECT_EQ(r.color_steps.size(), 1u);
  EXPECT_EQ(r.range_steps.size(), 1u);
  for (const double gain : r.gain) EXPECT_NEAR(gain, 2 / 255.0, 1e-12);
  for (const double offset : r.offset) EXPECT_NEAR(offset, -1, 1e-12);
  EXPECT_FALSE(r.coded);
  EXPECT_NEAR(r.steps_per_unit(), 127.5, 1e-9);
}

TEST(Reference, LinesAreInTheTargetsStoredUnits) {
  const Reference r = reference("resize(8x8, bilinear) | scale(0..1) | quantize(model)",
                                codes(DType::kInt8, 8, 1 / 255.f, -128));
  EXPECT_TRUE(r.coded);
  EXPECT_EQ(r.lowest, -128);
  EXPECT_EQ(r.highest, 127);
  for (const double gain : r.gain) EXPECT_NEAR(gain, 1, 1e-5);
  for (const double offset : r.offset) EXPECT_NEAR(offset, -128, 1e-9);
  for (const double gain : r.real_gain) EXPECT_NEAR(gain, 1 / 255.0, 1e-12);
}

TEST(Reference, OfAFloatModelIsGivenForTheCodesOfTheTarget) {
  const auto taken = take_apart(recipe("resize(8x8, bilinear) | scale(-1..1)"), floats(8),
                                codes(DType::kUInt8, 8, 1 / 127.5f, 128));
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_THAT(preprocess::to_text(taken->healthy), HasSubstr("quantize"));
  for (const double offset : taken->offset) EXPECT_NEAR(offset, 0.5, 1e-4);
}

TEST(Reference, MemoryOrderIsTheShapes) {
  const TensorSpec planes{"input", DType::kFloat32, {1, 3, 8, 8}, {}};
  const auto taken = take_apart(recipe("resize(8x8, bilinear) | layout(nchw)"), planes, planes);
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_EQ(taken->order, Order::kChw);
  EXPECT_STREQ(name(taken->order), "NCHW");
}

TEST(Reference, WhatCannotBeTakenApartSaysWhy) {
  const auto refusal = [](const std::string& text, const TensorSpec& here,
                          const TensorSpec& there) {
    const auto taken = take_apart(recipe(text), here, there);
    EXPECT_FALSE(taken) << text;
    return taken ? "" : taken.error().what;
  };
  EXPECT_THAT(refusal("resize(8x8, bilinear)", floats(8), floats(9)),
              HasSubstr("the search needs one size"));
  EXPECT_THAT(
      refusal("tone(gamma=2.2) | resize(8x8, bilinear) | tone(gamma=2.2)", floats(8), floats(8)),
      HasSubstr("more than one tone() or recode()"));
  EXPECT_THAT(refusal("resize(8x8, bilinear) | gray", floats(8), floats(8)), HasSubstr("channels"));
}

}  // namespace
}  // namespace edgeprobe::diagnose::testing
