// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/hypothesis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace edgeprobe::diagnose::testing {
namespace {

using ::testing::HasSubstr;

const std::string kBarred = "letterbox(16x16, bilinear, fill=114) | scale(-1..1)";

class HypothesisTest : public ::testing::Test {
 protected:
  Reference reference_ = reference(kBarred, floats(16));
  Hypothesis own_ = reference_hypothesis(reference_, known_ranges(reference_).front());

  /// A hypothesis that differs only in this part.
  Hypothesis other_in(Part part) const {
    Hypothesis h = own_;
    switch (part) {
      case Part::kMixing:
        h.mixing = {"BGR", {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}};
        h.mixing.order = preprocess::ChannelOrder::kBgr;
        break;
      case Part::kRange:
        for (const Range& range : known_ranges(reference_))
          if (range.name == "0..1") h.range = range;
        break;
      case Part::kResampling: h.resampling.kernel = preprocess::Kernel::kNearest; break;
      case Part::kFraming: h.framing = {recipe("resize(16x16, bilinear)").steps}; break;
      case Part::kFill: h.fill = 0; break;
      case Part::kOrientation: h.orientation = 2; break;
      case Part::kOrder: h.order = Order::kChw; break;
      case Part::kSign: h.flipped = true; break;
      case Part::kTouch: h.tone_step = recipe("tone(gamma=2.2)").steps.front(); break;
      case Part::kDecode: h.decode = preprocess::Decode{}; break;
    }
    return h;
  }
};

TEST_F(HypothesisTest, OfTheReferenceDiffersFromItselfInNothing) {
  for (const Part part : kParts) EXPECT_FALSE(differs(own_, own_, part)) << static_cast<int>(part);
  EXPECT_EQ(own_.fill, 114);
  EXPECT_TRUE(own_.framing.reference);
}

TEST_F(HypothesisTest, DiffersInThePartThatIsAnother) {
  for (const Part part : kParts) {
    const Hypothesis h = other_in(part);
    EXPECT_TRUE(differs(own_, h, part)) << static_cast<int>(part);
    EXPECT_TRUE(differs(h, own_, part)) << static_cast<int>(part);
    for (const Part another : kParts) {
      if (another == part) continue;
      EXPECT_FALSE(differs(own_, h, another))
          << static_cast<int>(part) << " is seen as " << static_cast<int>(another);
    }
  }
}

TEST_F(HypothesisTest, WithThePartOfAnotherTakesItBack) {
  for (const Part part : kParts)
    EXPECT_FALSE(differs(own_, with(other_in(part), own_, part), part)) << static_cast<int>(part);
}

TEST_F(HypothesisTest, LeavesNothingOfWhatItsOwnRecipeMade) {
  Recorded made = recorded(picture(24, 40), kBarred, reference_);
  const double gain = mean_gain(own_.range.gain);
  const auto own = residual_of(made.frame, reference_, own_, gain);
  ASSERT_TRUE(own);
  EXPECT_LT(*own, 0.01);
  // Its distance is in gray steps: bars of 0 instead of 114 on half of the input.
  const auto black = residual_of(made.frame, reference_, other_in(Part::kFill), gain);
  ASSERT_TRUE(black);
  EXPECT_NEAR(*black, 114 * std::sqrt(6.0 / 16), 1);
}

TEST_F(HypothesisTest, WhoseGeometryDoesNotFitThePictureMakesNothing) {
  Recorded made = recorded(picture(24, 40), kBarred, reference_);
  Hypothesis h = own_;
  h.framing = {recipe("crop(20, 0, 16x16) | resize(16x16, bilinear)").steps};
  EXPECT_FALSE(pixels(made.frame, reference_, h));
  EXPECT_FALSE(residual_of(made.frame, reference_, h, 1));
}

TEST_F(HypothesisTest, IsARecipeThatMakesTheSame) {
  const preprocess::Image raw = picture(24, 40);
  for (const Part part : {Part::kMixing, Part::kRange, Part::kResampling, Part::kFraming,
                          Part::kFill, Part::kOrientation}) {
    const Hypothesis h = other_in(part);
    const std::string text = preprocess::to_text(recipe_of(reference_, h, own_));
    Recorded made = recorded(raw, text, reference_);
    const auto left = residual_of(made.frame, reference_, h, mean_gain(h.range.gain));
    ASSERT_TRUE(left) << text;
    EXPECT_LT(*left, 0.05) << text;
  }
  EXPECT_EQ(preprocess::to_text(recipe_of(reference_, own_, own_)),
            preprocess::to_text(recipe(kBarred)));
}

TEST_F(HypothesisTest, AGrayMixtureIsOneOfSeveralChannels) {
  const std::array<double, 3> luma{0.299, 0.587, 0.114}, red{1, 0, 0};
  EXPECT_TRUE(is_gray({"gray", {luma, luma, luma}}));
  EXPECT_FALSE(is_gray({"the red channel", {red, red, red}}));
  EXPECT_FALSE(is_gray(own_.mixing));
  EXPECT_FALSE(is_gray({}));
}

}  // namespace
}  // namespace edgeprobe::diagnose::testing
