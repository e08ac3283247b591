// SPDX-License-Identifier: Apache-2.0
// Where the picture lies in the model's input: usual crops, windows of pixels, turns.
#include "diagnose/preprocessing/search/framings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "diagnose/preprocessing/search/crop_windows.h"
#include "support.h"

namespace edgeprobe::diagnose::testing {
namespace {

const std::string kCropped = "crop(center, 0.875) | resize(16x16, bilinear) | scale(-1..1)";

bool holds(const std::vector<Framing>& framings, const std::string& text, int height, int width) {
  const auto wanted = recipe(text).steps;
  return std::any_of(framings.begin(), framings.end(), [&](const Framing& framing) {
    return same_placement(framing.steps, wanted, height, width);
  });
}

TEST(Framings, TheReferencesOwnIsTheFirst) {
  const Reference r = reference(kCropped, floats(16));
  const auto all = usual_framings(r, 40, 60);
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(all[0].reference);
  EXPECT_TRUE(same_placement(all[0].steps, r.geometry, 40, 60));
  for (const char* const usual :
       {"resize(16x16, bilinear)", "crop(square) | resize(16x16, bilinear)",
        "letterbox(16x16, bilinear)"})
    EXPECT_TRUE(holds(all, usual, 40, 60)) << usual;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(!all[i].has_letterbox() && !all[j].has_letterbox() &&
                   same_placement(all[i].steps, all[j].steps, 40, 60))
          << i << " is " << j;
}

TEST(Framings, ALetterboxsSidesAreMadeWholeInEveryWay) {
  // 45 x 61 in 16 x 16: 11.8 rows, which are 12, 11 or 12; bars of 4 or of 5 rows, one of them odd.
  const Reference r = reference("letterbox(16x16, bilinear)", floats(16));
  const auto all = usual_framings(r, 45, 61);
  for (const char* const way : {"letterbox(16x16, bilinear, sides=floor)",
                                "letterbox(16x16, bilinear, sides=floor, odd=first)"})
    EXPECT_TRUE(holds(all, way, 45, 61)) << way;
  // A reference without bars proposes the usual letterbox only.
  EXPECT_FALSE(holds(usual_framings(reference("resize(16x16, bilinear)", floats(16)), 45, 61),
                     "letterbox(16x16, bilinear, sides=floor)", 45, 61));
}

TEST(Framings, ASquarePictureMakesCropsAlike) {
  const auto stretched = recipe("resize(16x16, bilinear)").steps,
             cropped = recipe("crop(square) | resize(16x16, bilinear)").steps;
  EXPECT_TRUE(same_placement(stretched, cropped, 40, 40));
  EXPECT_FALSE(same_placement(stretched, cropped, 40, 60));
}

TEST(Framings, TheShorterSideIsResizedAndTheMiddleTaken) {
  const Reference r = reference("resize(224x224, bilinear)", floats(224));
  const auto all = short_side_framings(r, {}, 480, 640);
  EXPECT_TRUE(holds(all, "resize(short=256, bilinear) | crop(center, 224x224)", 480, 640));
  EXPECT_TRUE(holds(all, "resize(short=232, bilinear) | crop(center, 224x224)", 480, 640));
  // Known framings equal to a usual one are left out.
  const Framing known{recipe("resize(short=256, bilinear) | crop(center, 224x224)").steps};
  EXPECT_EQ(short_side_framings(r, {known}, 480, 640).size(), all.size() - 1);
}

TEST(Framings, NeighboursAreAPixelOrUpToFourAway) {
  const Framing base{recipe("resize(16x16, bilinear)").steps};
  const auto all = pixel_neighbours(base, 40, 60);
  EXPECT_TRUE(holds(all, "crop(1, 1, 38x58) | resize(16x16, bilinear)", 40, 60));
  EXPECT_TRUE(holds(all, "crop(4, 4, 32x52) | resize(16x16, bilinear)", 40, 60));
  EXPECT_TRUE(holds(all, "crop(0, 1, 40x59) | resize(16x16, bilinear)", 40, 60));
  EXPECT_FALSE(holds(all, "resize(16x16, bilinear)", 40, 60));
  // In a picture of 9 rows, no window of 8 rows can be two pixels away from both edges.
  EXPECT_FALSE(
      holds(pixel_neighbours(base, 9, 60), "crop(2, 2, 5x56) | resize(16x16, bilinear)", 9, 60));
}

TEST(Framings, OnlyAShiftHasOtherEdges) {
  EXPECT_TRUE(with_other_edges({recipe("resize(16x16, bilinear)").steps}).empty());
  Framing moved{recipe("resize(16x16, bilinear)").steps};
  moved.steps.push_back(preprocess::Shift{1, 0});
  const auto all = with_other_edges(moved);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(std::get<preprocess::Shift>(all[0].steps.back()).edge, preprocess::Shift::Edge::kWrap);
  EXPECT_EQ(std::get<preprocess::Shift>(all[1].steps.back()).edge, preprocess::Shift::Edge::kBlack);
}

TEST(CropWindows, OneCropIsFoundForPicturesOfSeveralSizes) {
  const auto seen = [](int height, int width, int top, int left, int rows, int columns) {
    return SeenCropWindow{
        height, width, {preprocess::Crop::Kind::kWindow, 1, top, left, rows, columns, 0, 0}};
  };
  // 0.8 of both sides, centred.
  const auto middle = common_crop({seen(100, 200, 10, 20, 80, 160), seen(50, 80, 5, 8, 40, 64)});
  ASSERT_TRUE(middle);
  EXPECT_EQ(middle->kind, preprocess::Crop::Kind::kFraction);
  EXPECT_EQ(middle->fraction, 0.8);
  EXPECT_EQ(middle->down, 0);
  EXPECT_EQ(middle->right, 0);
  // A centred square of the shorter side.
  const auto square = common_crop({seen(100, 200, 0, 50, 100, 100), seen(80, 50, 15, 0, 50, 50)});
  ASSERT_TRUE(square);
  EXPECT_EQ(square->kind, preprocess::Crop::Kind::kSquare);
  EXPECT_EQ(square->fraction, 1);
}

TEST(CropWindows, AMoveIsAShareOfTheWindow) {
  const auto moved =
      common_crop({{100, 200, {preprocess::Crop::Kind::kWindow, 1, 18, 20, 80, 160, 0, 0}},
                   {200, 100, {preprocess::Crop::Kind::kWindow, 1, 36, 10, 160, 80, 0, 0}}});
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->down, 0.1);
  EXPECT_EQ(moved->right, 0);
}

TEST(CropWindows, WindowsWithoutARuleHaveNoCrop) {
  EXPECT_FALSE(common_crop({}));
  EXPECT_FALSE(
      common_crop({{100, 200, {preprocess::Crop::Kind::kWindow, 1, 10, 20, 80, 160, 0, 0}},
                   {100, 200, {preprocess::Crop::Kind::kWindow, 1, 10, 20, 40, 100, 0, 0}}}));
}

TEST(CropWindows, AreWindowsInPixelsOfNoReference) {
  Framing window{recipe("crop(1, 2, 8x8) | resize(16x16, bilinear)").steps};
  EXPECT_TRUE(is_crop_window(window));
  window.reference = true;
  EXPECT_FALSE(is_crop_window(window));
  EXPECT_FALSE(is_crop_window({recipe("crop(square) | resize(16x16, bilinear)").steps}));
}

TEST(CoarseCandidates, TellMemoryOrderAndTurnOfASmallPicture) {
  const Reference r = reference("resize(32x32, bilinear) | scale(-1..1)", floats(32));
  for (const Orientation turn : {0, 1, 2, 4}) {
    std::string app;
    for (const auto& step : orientation_steps(turn)) app += preprocess::to_text(step) + " | ";
    Recorded made = recorded(picture(64, 64), app + "resize(32x32, bilinear) | scale(-1..1)", r);
    const auto framings = usual_framings(r, 64, 64);
    const auto all = coarse_candidates(made.frame, r, framings);
    ASSERT_FALSE(all.empty()) << turn;
    EXPECT_EQ(all[0].orientation, turn);
    EXPECT_EQ(all[0].order, Order::kHwc);
    EXPECT_FALSE(all[0].flipped);
    EXPECT_GT(all[0].r2, 0.95);
  }
}

}  // namespace
}  // namespace edgeprobe::diagnose::testing
