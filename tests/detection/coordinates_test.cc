// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/coordinates.h"

#include <gtest/gtest.h>

#include <cmath>

namespace edgeprobe::postprocess::detection {
namespace {

// A picture of 200 x 100 in a model of 100 x 100.
constexpr Size kPicture{200, 100}, kModel{100, 100};
constexpr Box kShares{0.25, 0.5, 0.5, 0.75};

Box placed_by(Scale scale, Mirror mirror = Mirror::kNone) {
  return placed(kShares, {scale, {}, mirror, false}, kPicture, kModel);
}

TEST(Placement, EachScaleHasItsOwnFactors) {
  EXPECT_EQ(placed_by(Scale::kStretched), (Box{50, 50, 100, 75}));
  EXPECT_EQ(placed_by(Scale::kLetterbox), (Box{50, 100, 100, 150}));
  EXPECT_EQ(placed_by(Scale::kCentredLetterbox), (Box{50, 50, 100, 100}));  // 50 rows above
  EXPECT_EQ(placed_by(Scale::kModelPixels), (Box{25, 50, 50, 75}));
  EXPECT_EQ(placed_by(Scale::kShares), kShares);
  EXPECT_EQ(placed_by(Scale::kSidesExchanged), (Box{25, 100, 50, 150}));
  EXPECT_EQ(placed_by(Scale::kShorterSide), (Box{25, 50, 50, 75}));
}

TEST(Placement, ALetterboxOfAnOblongModelKeepsItsShape) {
  // 100 x 100 in 300 x 200: two model pixels each, 50 columns of the picture's size left and right.
  const Box box = placed({0, 0, 1, 1}, {Scale::kCentredLetterbox, {}, Mirror::kNone, false},
                         {100, 100}, {300, 200});
  EXPECT_EQ(box, (Box{-25, 0, 125, 100}));
}

TEST(Placement, BarsOfWholePixelsAreRoundedDown) {
  // 100 x 55 in 50 x 50: 28 rows of the model's input, 11 above, which are 22 of the picture.
  const Box box =
      placed({0, 0, 1, 1}, {Scale::kWholeLetterbox, {}, Mirror::kNone, false}, {100, 55}, {50, 50});
  EXPECT_EQ(box, (Box{0, -22, 100, 78}));
}

// The ways back of Ultralytics' releases and of C++ ports of them, as their lines compute them.
TEST(Placement, EachRoundingOfBarsIsItsOwn) {
  // 90 x 43 in 32 x 32: 15.29 rows of the model's input, 15 when they are rounded, 17 for both
  // bars.
  const Size picture{90, 43}, model{32, 32};
  const double ratio = 32.0 / 90, pixel = 90.0 / 32;
  const auto above = [&](Scale scale) {
    return -placed({0, 0, 1, 1}, {scale, {}, Mirror::kNone, false}, picture, model).y1 / pixel;
  };
  EXPECT_NEAR(above(Scale::kCentredLetterbox), (32 - 43 * ratio) / 2, 1e-9);
  EXPECT_NEAR(above(Scale::kWholeLetterbox), 8, 1e-9);
  EXPECT_NEAR(above(Scale::kUpperLetterbox), 9, 1e-9);
  EXPECT_NEAR(above(Scale::kRoundedLetterbox), std::round((32 - 43 * ratio) / 2 - 0.1), 1e-9);
  EXPECT_NEAR(above(Scale::kCutLetterbox), std::trunc((32 - 43 * ratio) / 2), 1e-9);
  // Where they part: 8.6 rows inside a bar are 8, 9 and 8.
  const auto of = [&](Scale scale) {
    return -placed({0, 0, 1, 1}, {scale, {}, Mirror::kNone, false}, {100, 46}, {32, 32}).y1 * 0.32;
  };
  EXPECT_NEAR(of(Scale::kWholeLetterbox), 8, 1e-9);    // floor((32 - 15) / 2)
  EXPECT_NEAR(of(Scale::kRoundedLetterbox), 9, 1e-9);  // round(8.64 - 0.1)
  EXPECT_NEAR(of(Scale::kCutLetterbox), 8, 1e-9);      // int(8.64)
}

TEST(Placement, MirrorsKeepTheCornersInOrderButOne) {
  EXPECT_EQ(placed_by(Scale::kShares, Mirror::kLeftRight), (Box{0.5, 0.5, 0.75, 0.75}));
  EXPECT_EQ(placed_by(Scale::kShares, Mirror::kUpsideDown), (Box{0.25, 0.25, 0.5, 0.5}));
  EXPECT_EQ(placed_by(Scale::kShares, Mirror::kBoth), (Box{0.5, 0.25, 0.75, 0.5}));
  EXPECT_EQ(placed_by(Scale::kShares, Mirror::kTransposed), (Box{0.5, 0.25, 0.75, 0.5}));
  EXPECT_EQ(placed_by(Scale::kShares, Mirror::kCornersLeft), (Box{0.75, 0.5, 0.5, 0.75}));
}

TEST(Placement, BoxesAreCutAtThePicture) {
  const Placement cut{Scale::kLetterbox, {}, Mirror::kNone, true};
  EXPECT_EQ(placed({-0.5, 0.25, 1.5, 1}, cut, kPicture, kModel), (Box{0, 50, 200, 100}));
}

TEST(Report, FormsOfOneBox) {
  const Box box{10, 20, 40, 60};
  EXPECT_EQ(reported(box, Report::kXyxy), (Numbers{10, 20, 40, 60}));
  EXPECT_EQ(reported(box, Report::kYxyx), (Numbers{20, 10, 60, 40}));
  EXPECT_EQ(reported(box, Report::kXywh), (Numbers{10, 20, 30, 40}));
  EXPECT_EQ(reported(box, Report::kCxcywh), (Numbers{25, 40, 30, 40}));
  EXPECT_EQ(reported(box, Report::kYxhw), (Numbers{20, 10, 40, 30}));
}

}  // namespace
}  // namespace edgeprobe::postprocess::detection
