// SPDX-License-Identifier: Apache-2.0
// What a further frame must have on which two recipes answer differently. Whether it does is told
// by frames that are written by hand, and by bench/places with an app of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/postprocessing/masks/deciding.h"
#include "diagnose/postprocessing/numbers/deciding.h"
#include "diagnose/postprocessing/points/deciding.h"

namespace edgeprobe::diagnose {
namespace {

using testing::HasSubstr;

places::Frame placed(Tensor output, double width, double height) {
  places::Frame frame;
  frame.outputs.push_back(std::move(output));
  frame.picture = {width, height};
  return frame;
}

// Eight rows and columns of ids, with a square of class 1 in the middle: turning the picture
// changes nothing.
places::Frame square() {
  std::vector<float> ids(64, 0);
  for (const std::size_t y : {3, 4})
    for (const std::size_t x : {3, 4}) ids[8 * y + x] = 1;
  return placed(make_tensor("ids", {1, 8, 8}, ids), 80, 80);
}

struct Masks : testing::Test {
  const postprocess::segmentation::Recipe reference =
      *postprocess::segmentation::parse("ids | resize(picture, nearest)");
  std::vector<places::Frame> frames{square()};
  std::string picture(const postprocess::segmentation::Recipe& a,
                      const postprocess::segmentation::Recipe& b) const {
    return masks::deciding_picture(reference, a, b, frames, {8, 8});
  }
};

TEST_F(Masks, ATurnIsToldByAThingInOneCorner) {
  auto turned = reference;
  turned.turn = postprocess::segmentation::Turn::kLeftRight;
  EXPECT_FALSE(masks::differ(reference, turned, frames[0], {8, 8}));
  EXPECT_THAT(picture(reference, turned), HasSubstr("a thing in one corner"));
}

TEST_F(Masks, AMapOfClassesIsToldByTheClass) {
  auto renamed = reference, more = reference;
  renamed.renamed = {{1, 5}};
  more.renamed = {{1, 5}, {2, 6}};
  EXPECT_EQ(picture(renamed, more), "a picture with class 2");
  EXPECT_EQ(picture(reference, renamed), "another picture with class 1");
  auto left_out = reference;
  left_out.renamed = {{1, 0}};
  EXPECT_EQ(picture(reference, left_out), "another picture with class 1 next to another class");
}

TEST_F(Masks, SidesAreToldByAPictureThatIsNotSquare) {
  auto exchanged = reference;
  exchanged.resizing->are_sides_exchanged = true;
  EXPECT_FALSE(masks::differ(reference, exchanged, frames[0], {8, 8}));
  EXPECT_EQ(picture(reference, exchanged), "an upright picture");
  frames.push_back(square());
  frames.back().picture = {60, 80};
  EXPECT_TRUE(masks::differ(reference, exchanged, frames[1], {8, 8}));
}

TEST_F(Masks, EqualRecipesAreToldByNothing) { EXPECT_EQ(picture(reference, reference), ""); }

TEST_F(Masks, ThingsAreMadeUpOfCodesToo) {
  Tensor output = make_tensor("ids", {1, 8, 8}, std::vector<float>(64, 0));
  output.spec.dtype = DType::kUInt8;
  output.bytes.assign(64, std::byte{0});
  frames = {placed(output, 80, 80)};
  auto turned = reference;
  turned.turn = postprocess::segmentation::Turn::kUpsideDown;
  EXPECT_THAT(picture(reference, turned), HasSubstr("a thing in one corner"));
}

struct Points : testing::Test {
  const postprocess::pose::Recipe reference =
      *postprocess::pose::parse("keypoints(yxs) | threshold(0.3) | points(pixels)");
  // y, x and score of two points on the diagonal, in the middle of a square picture.
  std::vector<places::Frame> frames{
      placed(make_tensor("points", {1, 2, 3}, {0.5, 0.5, 0.9f, 0.5, 0.5, 0.8f}), 100, 100)};
  std::string picture(const postprocess::pose::Recipe& a,
                      const postprocess::pose::Recipe& b) const {
    return points::deciding_picture(reference, a, b, frames, {64, 64});
  }
};

TEST_F(Points, ThresholdsAreToldByAScoreBetweenThem) {
  auto higher = reference, none = reference;
  higher.threshold = 0.45;
  none.threshold.reset();
  EXPECT_EQ(picture(reference, higher), "a picture in which a point has a score from 0.3 to 0.45");
  EXPECT_EQ(picture(none, higher), "a picture in which a point has a score below 0.45");
}

TEST_F(Points, AxesAreToldByPointsOffTheDiagonal) {
  auto exchanged = reference;
  exchanged.is_y_first = true;
  EXPECT_FALSE(points::differ(reference, exchanged, frames[0], {64, 64}));
  EXPECT_EQ(picture(reference, exchanged), "an upright picture");
  frames[0].picture = {1, 1};  // The size is unknown: coordinates are fractions.
  auto shares = reference;
  shares.placement.scale = postprocess::detection::Scale::kShares;
  exchanged.placement.scale = postprocess::detection::Scale::kShares;
  EXPECT_THAT(points::deciding_picture(shares, shares, exchanged, frames, {64, 64}),
              HasSubstr("points off its middle"));
}

TEST_F(Points, AnOrderIsToldByTheFirstPointsThatItMoves) {
  auto reversed = reference;
  reversed.order = {1, 0};
  frames[0].outputs[0] = make_tensor("points", {1, 2, 3}, {0.5, 0.5, 0.9f, 0.5, 0.5, 0.9f});
  EXPECT_FALSE(points::differ(reference, reversed, frames[0], {64, 64}));
  EXPECT_EQ(picture(reference, reversed),
            "a picture that shows point 0 and point 1 at different places");
}

struct Vectors : testing::Test {
  std::vector<numbers::RecordedFrame> frames{
      {0,
       {make_tensor("mask", {1, 2}, {1, 1})},
       {make_tensor("rows", {1, 2, 2}, {0.6F, 0.8F, 0.6F, 0.8F})},
       {}}};
};

postprocess::embedding::Recipe vector_recipe(const char* text) {
  return *postprocess::embedding::parse(text);
}

TEST_F(Vectors, PaddingIsToldByPadding) {
  frames[0].outputs[0] = make_tensor("rows", {1, 2, 2}, {1, 0, 0, 1});
  const auto without = vector_recipe("pool(mean, mask=0)"), with = vector_recipe("pool(mean)");
  EXPECT_FALSE(numbers::differ(without, with, frames[0]));
  EXPECT_EQ(numbers::deciding_input(without, with, frames), "an input with more padding");
}

TEST_F(Vectors, ANormIsToldByLargerNumbers) {
  const auto with = vector_recipe("pool(mean) | normalize(l2)"),
             without = vector_recipe("pool(mean)");
  EXPECT_FALSE(numbers::differ(without, with, frames[0]));
  EXPECT_THAT(numbers::deciding_input(without, with, frames), HasSubstr("larger numbers"));
}

TEST_F(Vectors, APoolIsToldByRowsThatDiffer) {
  const auto mean = vector_recipe("pool(mean)"), first = vector_recipe("pool(first)");
  EXPECT_FALSE(numbers::differ(mean, first, frames[0]));
  EXPECT_NE(numbers::deciding_input(mean, first, frames), "");
}

TEST(Scores, ThresholdsAreToldByAScoreBetweenThem) {
  std::vector<numbers::RecordedFrame> frames{
      {0, {make_tensor("x", {1, 2}, {0, 0})}, {make_tensor("y", {1, 2}, {1, 1})}, {}}};
  frames[0].answer.score = 1;
  const auto low = *postprocess::anomaly::parse("score(mse) | threshold(2)"),
             high = *postprocess::anomaly::parse("score(mse) | threshold(3.5)");
  EXPECT_EQ(numbers::deciding_input(low, high, frames), "an input with a score from 2 to 3.5");
  // Errors of 1 have the same mean, absolute or squared.
  const auto squares = *postprocess::anomaly::parse("score(mse)"),
             sizes = *postprocess::anomaly::parse("score(mae)");
  EXPECT_FALSE(numbers::differ(squares, sizes, frames[0]));
  EXPECT_EQ(numbers::deciding_input(squares, sizes, frames),
            "an input that the model gets more wrong");
}

}  // namespace
}  // namespace edgeprobe::diagnose
