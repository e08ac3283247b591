// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "postprocess/detection/candidates.h"
#include "postprocess/detection/map_rows.h"

namespace edgeprobe::postprocess::detection {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Size kModel{32, 32};

std::size_t size_of_shape(const Shape& shape) {
  std::size_t all = 1;
  for (const auto side : shape) all *= static_cast<std::size_t>(side);
  return all;
}

Tensor zeros(const char* name, const Shape& shape) {
  return make_tensor(name, shape, std::vector<float>(size_of_shape(shape)));
}

Result<trace::Answer> made(const char* text, const std::vector<Tensor>& outputs) {
  auto recipe = parse(text);
  if (!recipe) return recipe.error();
  const std::vector<TensorView> views(outputs.begin(), outputs.end());
  EP_TRY(const auto boxes, boxes_in(*recipe, views, kModel));
  EP_CHECK(load_anchors(*recipe, 32, 32, boxes));
  return run(*recipe, views, kModel, kModel);
}

std::string refusal(const char* text, const std::vector<Tensor>& outputs) {
  const auto answer = made(text, outputs);
  return answer ? "none" : answer.error().what;
}

// Cells of strides 8, 16 and 32: 16, 4 and 1, two boxes each.
std::vector<Tensor> scrfd() {
  std::vector<Tensor> out;
  for (const std::int64_t numbers : {1, 4})
    for (const std::int64_t boxes : {32, 8, 2})
      out.push_back(zeros(numbers == 1 ? "score" : "bbox", {boxes, numbers}));
  return out;
}

TEST(Maps, EachCellHasItsBoxesOneAfterTheOther) {
  auto outputs = scrfd();
  // The second box of cell (1, 2) of stride 8.
  const std::size_t row = 2 * (2 * 4 + 1) + 1;
  reinterpret_cast<float*>(outputs[0].bytes.data())[row] = 0.75F;
  const float distances[] = {1, 0.5F, 2, 1};
  std::copy_n(distances, 4, reinterpret_cast<float*>(outputs[3].bytes.data()) + 4 * row);
  const auto answer =
      made("maps(boxes=[3, 4, 5], scores=[0, 1, 2]) | decode(scrfd) | threshold(0.5)", outputs);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_THAT(*answer->scores, ElementsAre(0.75F));
  EXPECT_THAT((*answer->boxes)[0], ElementsAre(0, 12, 24, 24));
}

TEST(Maps, AnEdgeIsTheMeanOfItsBins) {
  // [1, 64 + 1, 1, 1] of stride 32 and the others: equal bins but one that is sure.
  std::vector<Tensor> outputs;
  for (const std::int64_t side : {4, 2, 1}) outputs.push_back(zeros("map", {1, 65, side, side}));
  float* const last = reinterpret_cast<float*>(outputs[2].bytes.data());
  last[0] = 100;       // Left: bin 0.
  last[16 + 2] = 100;  // Above: bin 2. Right and below: all 16 alike, 7.5 cells.
  last[64] = 3;
  const auto answer = made("maps(boxes=[0, 1, 2]) | decode(yolo8_raw) | threshold(1)", outputs);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_THAT((*answer->boxes)[0], ElementsAre(16, 16 - 64, 16 + 240, 16 + 240));
}

TEST(Maps, AnotherMapTellsHowOneIsStored) {
  // 80 channels of 80 x 80 cells: by its own sizes the finest map may be stored either way.
  auto recipe = parse("maps(boxes=[0, 1, 2]) | decode(yolo8_raw) | keypoints(5, xys)");
  ASSERT_TRUE(recipe) << recipe.error().what;
  const Size model{640, 640};
  for (const bool is_by_columns : {true, false}) {
    std::vector<Tensor> outputs;
    for (const std::int64_t side : {80, 40, 20})
      outputs.push_back(is_by_columns ? zeros("map", {1, 80, side, side})
                                      : zeros("map", {1, side, side, 80}));
    const std::size_t score = is_by_columns ? 64 * 6400 : 64;
    reinterpret_cast<float*>(outputs[0].bytes.data())[score] = 1;
    const std::vector<TensorView> views(outputs.begin(), outputs.end());
    const auto rows = read_maps(*recipe, views, model);
    ASSERT_TRUE(rows) << rows.error().what;
    EXPECT_EQ(rows->classes, 1u);
    EXPECT_EQ(rows->boxes, 8400u);
    EXPECT_EQ(rows->scores[0], 1);
  }
}

TEST(Maps, OnlyPeaksStay) {
  std::vector<double> scores{.1, .5, .4,  //
                             .2, .5, .3,  //
                             .6, .1, .7};
  keep_peaks(scores, 1, 3);
  EXPECT_THAT(scores, ElementsAre(0, .5, 0, 0, 0, 0, .6, 0, .7));
}

TEST(Maps, WhatDoesNotFitIsRefused) {
  const auto outputs = scrfd();
  EXPECT_THAT(refusal("maps(boxes=[3, 4, 5], scores=[0, 1, 2]) | decode(yunet)", outputs),
              HasSubstr("output 'bbox' is 32x4, expected the 4 x 4 cells of stride 8; the outputs "
                        "look like SCRFD's head (two boxes a cell): use maps(boxes=[3, 4, 5], "
                        "scores=[0, 1, 2]) | decode(scrfd)"));
  EXPECT_THAT(refusal("maps(boxes=[3, 4, 9], scores=[0, 1, 2]) | decode(scrfd)", outputs),
              HasSubstr("maps: boxes: there is no output 9, the model has 6, counted from 0"));
  EXPECT_THAT(refusal("maps(boxes=[3, 4], scores=[0, 1, 2]) | decode(scrfd)", outputs),
              HasSubstr("boxes names 2 outputs, expected 3"));
  EXPECT_THAT(refusal("maps(boxes=[0, 1, 2], scores=[0, 1, 2]) | decode(scrfd)", outputs),
              HasSubstr("expected 4 numbers a box"));
  EXPECT_THAT(refusal("decode(scrfd)", outputs), HasSubstr("are named before it: maps(boxes=[…]"));
  EXPECT_THAT(refusal("maps(boxes=[3, 4, 5], scores=[0, 1, 2]) | decode(scrfd) | keypoints(5, xy)",
                      outputs),
              HasSubstr("maps(…) names no outputs of points: points=[…]"));
  EXPECT_THAT(
      refusal("maps(boxes=[3, 4, 5], scores=[0, 1, 2], points=[0, 1, 2]) | decode(scrfd)", outputs),
      HasSubstr("points are read by keypoints(COUNT, xy)"));
  EXPECT_THAT(refusal("maps(boxes=[5], scores=[2]) | decode(scrfd, strides=[64])", outputs),
              HasSubstr("the stride 64 is larger than the model's input"));
  EXPECT_THAT(refusal("maps(boxes=[3, 4, 5]) | detections(xyxy)", outputs),
              HasSubstr("maps(…) is followed by decode(…)"));
  EXPECT_THAT(refusal("maps(boxes=[3, 4, 5]) | decode(yolo8)", outputs),
              HasSubstr("outputs(…) in its place"));
  EXPECT_THAT(refusal("maps(boxes=[3]) | decode(scrfd, strides=[32, 8])", outputs),
              HasSubstr("strides are pixels of a cell, the finest first"));
}

TEST(Maps, CenterNetHasTheCellsOfOneStride) {
  const std::vector<Tensor> outputs{zeros("heat", {1, 3, 8, 8}), zeros("size", {1, 2, 8, 8}),
                                    zeros("moved", {1, 2, 8, 8})};
  EXPECT_THAT(
      refusal("maps(boxes=[2, 1], scores=[0]) | decode(centernet, strides=[4, 5, 6, 7])", outputs),
      HasSubstr("this head has the cells of one stride"));
  auto recipe =
      parse("maps(boxes=[2, 1], scores=[0]) | decode(centernet, strides=[4]) | threshold(0.5)");
  ASSERT_TRUE(recipe) << recipe.error().what;
  // A stride more than the head has must not lead to cells beyond the outputs.
  recipe->maps.strides = {4, 8};
  const std::vector<TensorView> views(outputs.begin(), outputs.end());
  const auto rows = read_maps(*recipe, views, kModel);
  if (rows) {
    EXPECT_EQ(rows->boxes, 64u);
    EXPECT_EQ(rows->edges.size(), 4u * 64);
  }
}

TEST(Maps, TheyLookLikeTheHeadOfTheirSizes) {
  const auto look = [](const std::vector<Shape>& shapes, std::size_t names = 0) {
    std::vector<TensorSpec> outputs;
    for (const Shape& shape : shapes) outputs.push_back({"o", DType::kFloat32, shape, {}});
    const auto found = look_of_maps(outputs, {320, 320}, names);
    return found ? found->step : "nothing";
  };
  EXPECT_EQ(look({{3200, 1}, {800, 1}, {200, 1}, {3200, 4}, {800, 4}, {200, 4}}),
            "maps(boxes=[3, 4, 5], scores=[0, 1, 2]) | decode(scrfd)");
  // In the order of an exporter.
  EXPECT_EQ(look({{1, 20, 20, 64},
                  {1, 20, 20, 3},
                  {1, 40, 40, 64},
                  {1, 40, 40, 3},
                  {1, 10, 10, 64},
                  {1, 10, 10, 3}}),
            "maps(boxes=[2, 0, 4], scores=[3, 1, 5]) | decode(yolo8_raw)");
  // With the sum of the scores of each cell.
  EXPECT_EQ(look({{1, 64, 40, 40},
                  {1, 80, 40, 40},
                  {1, 1, 40, 40},
                  {1, 64, 20, 20},
                  {1, 80, 20, 20},
                  {1, 1, 20, 20},
                  {1, 64, 10, 10},
                  {1, 80, 10, 10},
                  {1, 1, 10, 10}}),
            "maps(boxes=[0, 3, 6], scores=[1, 4, 7]) | decode(yolo8_raw)");
  EXPECT_EQ(look({{1, 80, 40, 40}, {1, 80, 20, 20}, {1, 80, 10, 10}}, 1),
            "maps(boxes=[0, 1, 2]) | decode(yolo8_raw) | keypoints(5, xys)");
  EXPECT_EQ(look({{1, 80, 80, 80}, {1, 2, 80, 80}, {1, 2, 80, 80}}),
            "maps(boxes=[2, 1], scores=[0]) | decode(centernet)");
  for (const auto& shapes : std::vector<std::vector<Shape>>{
           {{1, 1000}},
           {{1, 40, 40, 8}, {1, 20, 20, 16}, {1, 10, 10, 32}},
           {{1, 10}, {1, 5}, {1}},
           {{1, 3, 40, 40, 85}, {1, 3, 20, 20, 85}, {1, 3, 10, 10, 85}}})
    EXPECT_EQ(look(shapes), "nothing") << shapes.size();
}

}  // namespace
}  // namespace edgeprobe::postprocess::detection
