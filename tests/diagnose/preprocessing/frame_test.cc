// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace edgeprobe::diagnose::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kStretched = "resize(8x8, bilinear) | scale(-1..1)";

TEST(Frame, OfAHealthyAppHoldsTheReferencesValues) {
  const Recorded made = recorded(picture(20, 30), kStretched, reference(kStretched, floats(8)));
  ASSERT_EQ(made.frame.stored.size(), 192u);
  EXPECT_EQ(made.frame.stored, made.frame.healthy);
  EXPECT_FALSE(made.frame.gray);
  EXPECT_EQ(made.frame.channels(), 3);
  EXPECT_GT(made.frame.deviation, 10);
  EXPECT_LT(made.frame.low, made.frame.high);
}

TEST(Frame, AGrayPictureHasOneChannel) {
  preprocess::Image gray = picture(20, 30);
  for (std::size_t i = 0; i < gray.pixels.size(); i += 3)
    gray.pixels[i + 1] = gray.pixels[i + 2] = gray.pixels[i];
  const Recorded made = recorded(gray, kStretched, reference(kStretched, floats(8)));
  EXPECT_TRUE(made.frame.gray);
  EXPECT_EQ(made.frame.channels(), 1);
}

TEST(Frame, RealValuesOfACodedInputBecomeCodes) {
  const Reference r =
      reference(kStretched + " | quantize(model)", codes(DType::kUInt8, 8, 1 / 127.5f, 128));
  const preprocess::Image raw = picture(20, 30);
  const auto real = preprocess::apply(recipe(kStretched), raw, floats(8));
  ASSERT_TRUE(real);
  const auto frame = make_frame({"one", &raw, *real}, r);
  ASSERT_TRUE(frame) << frame.error().what;
  for (std::size_t i = 0; i < frame->stored.size(); ++i)
    EXPECT_NEAR(frame->stored[i], frame->healthy[i], 0.501);
}

TEST(Frame, WithoutAPictureOrOfAnotherSizeIsRefused) {
  const Reference r = reference(kStretched, floats(8));
  const preprocess::Image raw = picture(20, 30);
  const auto other = preprocess::apply(recipe("resize(9x9, bilinear)"), raw, floats(9));
  ASSERT_TRUE(other);
  EXPECT_THAT(make_frame({"one", nullptr, *other}, r).error().what, HasSubstr("no raw picture"));
  EXPECT_THAT(make_frame({"one", &raw, *other}, r).error().what,
              HasSubstr("holds 243 values, the model's input 192"));
}

TEST(Memory, IsArrangedByItsOrder) {
  // Height 1, width 2, three channels.
  const std::vector<float> memory{0, 1, 2, 3, 4, 5};
  EXPECT_THAT(arranged(memory, Order::kHwc, 1, 2, 3).values, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(arranged(memory, Order::kChw, 1, 2, 3).values, ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(arranged(memory, Order::kHcw, 1, 2, 3).values, ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(arranged(memory, Order::kWhc, 1, 2, 3).values, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Memory, ASignBitThatIsTurnedOverMovesCodesByHalfTheirRange) {
  EXPECT_THAT(sign_flipped({0, 127, 128, 255}, 0), ElementsAre(128, 255, 0, 127));
  EXPECT_THAT(sign_flipped({-128, -1, 0, 127}, -128), ElementsAre(0, 127, -128, -1));
}

TEST(Memory, TheRightOrderIsTheSmoothest) {
  const Recorded made = recorded(picture(40, 40), "resize(16x16, bilinear)",
                                 reference("resize(16x16, bilinear)", floats(16)));
  const auto variation = [&](Order order) {
    return total_variation(arranged(made.frame.stored, order, 16, 16, 3));
  };
  for (const Order order : {Order::kChw, Order::kHcw})
    EXPECT_LT(variation(Order::kHwc), variation(order));
}

TEST(Look, ChangesThePictureOnceAndKeepsIt) {
  Recorded made = recorded(picture(20, 30), kStretched, reference(kStretched, floats(8)));
  EXPECT_EQ(seen_as(made.frame, {}), &made.frame);
  const Look darker{std::nullopt, recipe("tone(gamma=2.2)").steps.front()};
  Frame* const seen = seen_as(made.frame, darker);
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen_as(made.frame, darker), seen);
  EXPECT_NE(seen->upright.pixels, made.frame.upright.pixels);
  EXPECT_EQ(seen->stored, made.frame.stored);
}

}  // namespace
}  // namespace edgeprobe::diagnose::testing
