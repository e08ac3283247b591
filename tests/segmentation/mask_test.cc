// SPDX-License-Identifier: Apache-2.0
#include "postprocess/segmentation/mask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace edgeprobe::postprocess::segmentation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Recipe recipe_of(std::string_view text) { return *parse(text); }

Result<trace::Answer> answer(const Recipe& recipe, const Tensor& output, Size picture,
                             Size model = {2, 2}) {
  const TensorView view = output;
  return run(recipe, std::span(&view, 1), picture, model);
}

std::vector<std::int32_t> mask(const Recipe& recipe, const Tensor& output, Size picture = {2, 2},
                               Size model = {2, 2}) {
  const auto made = answer(recipe, output, picture, model);
  return made ? made->mask->classes : std::vector<std::int32_t>{-99};
}

// Rows (0 1) and (2 3).
const Tensor kIds = make_tensor("ids", {1, 2, 2}, {0, 1, 2, 3});
// Two rows, two columns, three classes: 2 1 / 0 2 are the best.
const Tensor kScores = make_tensor("scores", {1, 2, 2, 3}, {0, 1, 5, 0, 6, 1, 7, 1, 0, 1, 2, 8});

TEST(Mask, IdsAreClassesAsTheyAre) {
  EXPECT_THAT(mask(recipe_of("ids"), kIds), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(mask(recipe_of("ids"), make_tensor("ids", {1, 2, 2, 1}, {0, 1, 2, 3})),
              ElementsAre(0, 1, 2, 3));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(mask(recipe_of("ids"), make_tensor("ids", {1, 1, 2}, {nan, 1e30f})),
              ElementsAre(-1, 1'000'000'000));
}

TEST(Mask, ArgmaxTakesTheLargestScoreAndOfEqualOnesTheFirst) {
  EXPECT_THAT(mask(recipe_of("argmax"), kScores), ElementsAre(2, 1, 0, 2));
  EXPECT_THAT(mask(recipe_of("argmax"), make_tensor("s", {1, 1, 1, 3}, {1, 4, 4})), ElementsAre(1));
  // The same scores with classes first.
  const Tensor planes = make_tensor("s", {1, 3, 2, 2}, {0, 0, 7, 1, 1, 6, 1, 2, 5, 1, 0, 8});
  EXPECT_THAT(mask(recipe_of("argmax(axis=first)"), planes), ElementsAre(2, 1, 0, 2));
}

TEST(Mask, AThresholdShowsWhatReachesIt) {
  const Tensor scores = make_tensor("s", {1, 1, 3, 1}, {-1, 0, 1});
  EXPECT_THAT(mask(recipe_of("mask(0)"), scores), ElementsAre(0, 1, 1));
  EXPECT_THAT(mask(recipe_of("sigmoid | mask(0.6)"), scores), ElementsAre(0, 0, 1));
}

TEST(Mask, TheNearestCellIsThatOfTheCentreTheCornerOrBetweenTheCorners) {
  const Tensor row = make_tensor("ids", {1, 1, 3}, {0, 1, 2});
  // Three cells for five pixels: centres .3 .9 1.5 2.1 2.7; left edges 0 .6 1.2 1.8 2.4;
  // from the first cell to the last 0 .5 1 1.5 2, halves away from 0.
  EXPECT_THAT(mask(recipe_of("ids | resize(1x5, nearest)"), row), ElementsAre(0, 0, 1, 2, 2));
  EXPECT_THAT(mask(recipe_of("ids | resize(1x5, nearest, align=legacy)"), row),
              ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(mask(recipe_of("ids | resize(1x5, nearest, align=corners)"), row),
              ElementsAre(0, 1, 1, 2, 2));
}

TEST(Mask, ClassesBetweenTwoAppearWhereTheirNumbersAreResized) {
  const Tensor row = make_tensor("ids", {1, 1, 2}, {0, 8});
  // Weights of the second cell: 0 .25 .75 1.
  EXPECT_THAT(mask(recipe_of("ids | resize(1x4, bilinear)"), row), ElementsAre(0, 2, 6, 8));
}

TEST(Mask, ScoresResizedFirstDecideBetweenCells) {
  // Classes 0 and 1 are equal where 3 (1 - w) = 1 w: beyond w = .75 the second wins.
  const Tensor row = make_tensor("s", {1, 1, 2, 2}, {3, 0, 0, 1});
  EXPECT_THAT(mask(recipe_of("resize(1x8, bilinear) | argmax"), row),
              ElementsAre(0, 0, 0, 0, 0, 1, 1, 1));
  EXPECT_THAT(mask(recipe_of("argmax | resize(1x8, nearest)"), row),
              ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

TEST(Mask, BarsOfALetterboxAreCutOff) {
  // A picture of 4 x 2 in a model of 4 x 4: it covers the two rows in the middle, or the first two.
  const Tensor rows = make_tensor("ids", {1, 4, 1}, {0, 1, 2, 3});
  EXPECT_THAT(
      mask(recipe_of("ids | resize(picture, frame=letterbox_centered)"), rows, {4, 2}, {4, 4}),
      ElementsAre(1, 1, 1, 1, 2, 2, 2, 2));
  EXPECT_THAT(mask(recipe_of("ids | resize(picture, frame=letterbox)"), rows, {4, 2}, {4, 4}),
              ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

// Scores -1 and 3 in one column, in a model of 4 x 4 with a picture of 4 x 3. The picture's three
// rows are the first three of the input: -1 0 2. The two cells cannot be cut like this; they would
// give -1 1 3.
TEST(Mask, ScoresThatAreResizedToTheInputFirstAreCutInItsPixels) {
  const Tensor scores = make_tensor("s", {1, 2, 1, 1}, {-1, 3});
  const auto column = [&](const std::string& through) {
    const auto all =
        mask(recipe_of("resize(picture, bilinear, frame=letterbox_whole" + through + ") | mask(1)"),
             scores, {4, 3}, {4, 4});
    return std::vector<std::int32_t>{all.at(0), all.at(4), all.at(8)};
  };
  EXPECT_THAT(column(", through=input"), ElementsAre(0, 0, 1));
  EXPECT_THAT(column(""), ElementsAre(0, 1, 1));
  EXPECT_THAT(parse("argmax | resize(picture, through=input)").error().what,
              HasSubstr("through=input is for scores"));
}

TEST(Mask, TurnsAreThoseOfNumPy) {
  const std::pair<Turn, std::vector<std::int32_t>> turns[] = {
      {Turn::kTransposed, {0, 2, 1, 3}},    {Turn::kLeftRight, {1, 0, 3, 2}},
      {Turn::kUpsideDown, {2, 3, 0, 1}},    {Turn::kHalf, {3, 2, 1, 0}},
      {Turn::kQuarter, {1, 3, 0, 2}},  // np.rot90
      {Turn::kThreeQuarters, {2, 0, 3, 1}}, {Turn::kAntiTransposed, {3, 1, 2, 0}}};
  for (const auto& [turn, expected] : turns) {
    Recipe recipe = recipe_of("ids");
    recipe.turn = turn;
    EXPECT_EQ(mask(recipe, kIds), expected);
  }
}

TEST(Mask, MisreadingsAreOtherAxes) {
  Recipe recipe = recipe_of("argmax");
  recipe.misreading = Misreading::kOtherLayout;  // reshape(3, 2, 2): 0 1 5 0 | 6 1 7 1 | 0 1 2 8
  EXPECT_THAT(mask(recipe, kScores), ElementsAre(1, 0, 1, 2));
  recipe.misreading = Misreading::kOverRows;  // argmax(0): (0 7)(1 1)(5 0) | (0 1)(6 2)(1 8)
  EXPECT_THAT(mask(recipe, kScores), ElementsAre(1, 0, 0, 1, 0, 1));
  recipe.misreading = Misreading::kOverColumns;  // argmax(1): (0 0)(1 6)(5 1) | (7 1)(1 2)(0 8)
  EXPECT_THAT(mask(recipe, kScores), ElementsAre(0, 1, 0, 0, 1, 1));
}

TEST(Mask, ColorsStandInPlaceOfClasses) {
  Recipe recipe = recipe_of("ids | colors(c.txt)");
  recipe.colors->numbers = {0, 0x102030, 2, 3};
  EXPECT_THAT(mask(recipe, kIds), ElementsAre(0, 0x102030, 2, 3));
  recipe.is_bgr = true;
  EXPECT_THAT(mask(recipe, kIds), ElementsAre(0, 0x302010, 0x020000, 0x030000));
  recipe.colors->numbers.pop_back();
  EXPECT_THAT(answer(recipe, kIds, {2, 2}).error().what, HasSubstr("class 3 has no line"));
}

TEST(Mask, OutputsThatAreNoCellsAreRefused) {
  EXPECT_THAT(answer(recipe_of("argmax"), kIds, {2, 2}).error().what, HasSubstr("[1,H,W,C]"));
  EXPECT_THAT(answer(recipe_of("ids"), kScores, {2, 2}).error().what, HasSubstr("[1,H,W]"));
  EXPECT_THAT(answer(recipe_of("output(1) | ids"), kIds, {2, 2}).error().what,
              HasSubstr("counted from 0"));
  EXPECT_THAT(answer(recipe_of("ids | resize(picture)"), kIds, {16384, 16384}).error().what,
              HasSubstr("100 megapixels"));
}

}  // namespace
}  // namespace edgeprobe::postprocess::segmentation
