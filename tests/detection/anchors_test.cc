// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/anchors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "postprocess/detection/recipe.h"

namespace edgeprobe::postprocess::detection {
namespace {

TEST(Anchors, AnSsdOf300PixelsHas1917) {
  EXPECT_EQ(anchors(ssd_rule(300, 300)).size(), 1917u);  // 19*19*3 + (100+25+9+4+1)*6
}

TEST(Anchors, TheFirstMapOfAnSsdHasASmallSquareAndTwoOblongs) {
  const auto list = anchors(ssd_rule(300, 300));
  EXPECT_DOUBLE_EQ(list[0].x, 0.5 / 19);
  EXPECT_DOUBLE_EQ(list[0].width, 0.1);
  EXPECT_DOUBLE_EQ(list[1].width, 0.2 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(list[2].height, 0.2 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(list[3].x, 1.5 / 19);
}

TEST(Anchors, TheLastSquareOfAnSsdLiesBetweenItsScaleAndOne) {
  EXPECT_DOUBLE_EQ(anchors(ssd_rule(300, 300)).back().width, std::sqrt(0.95 * 1.0));
}

TEST(Anchors, FacesOf320By240Have4420) {
  const auto list = anchors(SquaresRule{});
  ASSERT_EQ(list.size(), 4420u);  // 40*30*3 + 20*15*2 + 10*8*2 + 5*4*3
  EXPECT_EQ(list.front(), (Anchor{4.0 / 320, 4.0 / 240, 10.0 / 320, 10.0 / 240}));
  EXPECT_EQ(list.back(), (Anchor{288.0 / 320, 224.0 / 240, 256.0 / 320, 1}));
}

TEST(Anchors, PointsOf128PixelsHave896) {
  const auto list = anchors(PointsRule{});
  ASSERT_EQ(list.size(), 896u);  // 16*16*2 + 8*8*6
  EXPECT_EQ(list[2], (Anchor{1.5 / 16, 0.5 / 16, 1, 1}));
}

TEST(Anchors, PointsOfTheOtherDetectorsOfFaces) {
  const auto first = [](const char* text, int side, std::size_t count) {
    auto recipe = parse(text);
    EXPECT_TRUE(recipe) << recipe.error().what;
    const auto loaded = load_anchors(*recipe, side, side, count);
    EXPECT_TRUE(loaded) << loaded.error().what;
    return loaded ? (*recipe->anchors.list)[0].x : 0;
  };
  EXPECT_EQ(first("decode(offset, back_camera, 256)", 256, 896), 0.5 / 16);
  EXPECT_EQ(first("decode(offset, full_range, 192)", 192, 2304), 0.5 / 48);
}

TEST(AnchorWalk, ColumnsKeepEachMapAndItsAnchorsOfACell) {
  SsdRule rule;
  rule.grids = {{2, 2}, {1, 1}};
  const auto rows = anchors(rule), columns = walked(rows, AnchorWalk::kColumns);
  ASSERT_EQ(columns.size(), 18u);  // 4 cells of 3, one of 6
  EXPECT_EQ(columns[0], rows[0]);  // upper left
  EXPECT_EQ(columns[3], rows[6]);  // lower left comes before upper right
  EXPECT_EQ(columns[4], rows[7]);
  EXPECT_EQ(columns[6], rows[3]);
  EXPECT_EQ(columns[17], rows[17]);
}

TEST(AnchorWalk, CornersLieHalfACellBefore) {
  SsdRule rule;
  rule.grids = {{2, 2}, {1, 1}};
  const auto rows = anchors(rule), corners = walked(rows, AnchorWalk::kCorner);
  EXPECT_DOUBLE_EQ(corners[0].x, 0);
  EXPECT_DOUBLE_EQ(corners[3].x, 0.5);
  EXPECT_DOUBLE_EQ(corners[6].y, 0.5);
  EXPECT_DOUBLE_EQ(corners[12].x, 0);
}

TEST(AnchorWalk, NoAnchorsStayNone) { EXPECT_TRUE(walked({}, AnchorWalk::kColumns).empty()); }

}  // namespace
}  // namespace edgeprobe::postprocess::detection
