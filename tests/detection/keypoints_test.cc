// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/keypoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "postprocess/detection/candidates.h"

namespace edgeprobe::postprocess::detection {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

trace::Answer answered(const char* text, const std::vector<Tensor>& outputs, Size picture,
                       Size model) {
  auto recipe = parse(text);
  EXPECT_TRUE(recipe) << recipe.error().what;
  const std::vector<TensorView> views(outputs.begin(), outputs.end());
  if (!recipe->anchors.source.empty()) {
    const auto boxes = boxes_in(*recipe, views, model);
    EXPECT_TRUE(boxes) << boxes.error().what;
    const auto loaded = load_anchors(*recipe, int(model.width), int(model.height), *boxes);
    EXPECT_TRUE(loaded) << loaded.error().what;
  }
  auto answer = run(*recipe, views, picture, model);
  EXPECT_TRUE(answer) << answer.error().what;
  return answer ? *answer : trace::Answer{};
}

std::string complaint(const char* text) {
  const auto recipe = parse(text);
  return recipe ? "none" : recipe.error().what;
}

// Two boxes of one class with two points each.
const Tensor kPoses = make_tensor("output0", {1, 11, 2}, std::vector<float>{8,   24,   //
                                                                            8,   24,   //
                                                                            16,  16,   //
                                                                            8,   16,   //
                                                                            .4F, .9F,  //
                                                                            1,   20,   //
                                                                            2,   21,   //
                                                                            .1F, .8F,  //
                                                                            3,   22,   //
                                                                            4,   23,   //
                                                                            .3F, .2F});

TEST(Keypoints, StandAfterTheScoresAndGoWithTheirBox) {
  const auto answer = answered(
      "outputs(boxes=0) | decode(yolo8) | keypoints(2, xys) | threshold(0.3) | boxes(xyxy, "
      "pixels)",
      {kPoses}, {64, 32}, {32, 16});
  EXPECT_THAT(*answer.scores, ElementsAre(.9F, .4F));
  EXPECT_THAT(*answer.points, ElementsAre(ElementsAre(40, 42, .8F), ElementsAre(44, 46, .2F),
                                          ElementsAre(2, 4, .1F), ElementsAre(6, 8, .3F)));
}

TEST(Keypoints, AreNotShownBelowTheirScore) {
  const auto answer =
      answered("outputs(boxes=0) | decode(yolo8) | keypoints(2, xys, shown=0.3) | threshold(0.5)",
               {kPoses}, {32, 16}, {32, 16});
  ASSERT_EQ(answer.points->size(), 2u);
  EXPECT_FALSE(std::isnan((*answer.points)[0][0]));
  EXPECT_TRUE(std::isnan((*answer.points)[1][0]));
  EXPECT_EQ((*answer.points)[1][2], .2F);
}

TEST(Keypoints, OfAnchorsAreOffsetsFromThem) {
  // BlazeFace: four numbers of the box, two of each point; anchors of an input of 16 x 8.
  std::vector<float> codes(10 * 6, 0);
  for (std::size_t k = 0; k < 6; ++k) codes[k] = std::vector<float>{1, 2, 4, 4, 2, -2}[k];
  std::vector<float> scores(10, 0);
  scores[0] = 1;
  const auto answer = answered(
      "decode(offset, short_range, 16) | keypoints(1, xy) | threshold(0.5) | boxes(xyxy, "
      "model_pixels)",
      {make_tensor("r", {1, 10, 6}, codes), make_tensor("s", {1, 10, 1}, scores)}, {1, 1}, {16, 8});
  EXPECT_THAT((*answer.boxes)[0], ElementsAre(3, 4, 7, 6));
  EXPECT_THAT((*answer.points)[0], ElementsAre(6, 3, 1));
}

TEST(Keypoints, OfAnOutputOfTheirOwnAreRead) {
  const std::vector<Tensor> outputs{make_tensor("b", {1, 1, 4}, std::vector<float>{0, 0, 1, 1}),
                                    make_tensor("s", {1, 1, 1}, std::vector<float>{.9F}),
                                    make_tensor("p", {1, 1, 2}, std::vector<float>{.25F, .5F})};
  const auto answer =
      answered("outputs(boxes=0, scores=1, points=2) | decode(none) | keypoints(1, xy)", outputs,
               {40, 40}, {8, 8});
  EXPECT_THAT((*answer.points)[0], ElementsAre(10, 20, 1));
}

TEST(Keypoints, OfBoxesThatAreJoinedAreJoined) {
  const std::vector<Tensor> outputs{
      make_tensor("b", {1, 2, 4}, std::vector<float>{0, 0, 1, 1, 0, 0, 1, 1}),
      make_tensor("s", {1, 2, 1}, std::vector<float>{.75F, .25F}),
      make_tensor("p", {1, 2, 2}, std::vector<float>{0, 0, 1, 1})};
  const auto answer = answered(
      "outputs(boxes=0, scores=1, points=2) | decode(none) | keypoints(1, xy) | nms(0.3, "
      "all_classes, merge=weighted)",
      outputs, {40, 40}, {8, 8});
  EXPECT_THAT((*answer.points)[0], ElementsAre(10, 10, 1));
}

TEST(Keypoints, ThatDoNotFitAreRefused) {
  EXPECT_THAT(complaint("decode(yolo8) | keypoints(2, xyz)"), HasSubstr("a point is x and y once"));
  EXPECT_THAT(complaint("decode(yolo8) | keypoints(2, xy, shown=0.5)"),
              HasSubstr("points without a score, s, are all shown"));
  EXPECT_THAT(complaint("decode(yolo8) | keypoints(0, xy)"), HasSubstr("1"));
  EXPECT_THAT(complaint("decode(none) | angle"), HasSubstr("one output that holds all"));
  EXPECT_THAT(complaint("decode(yolo8) | angle | keypoints(2, xy)"), HasSubstr("exclude"));
  const Tensor short_rows = make_tensor("output0", {1, 6, 2}, std::vector<float>(12));
  const std::vector<TensorView> views{short_rows};
  const auto made =
      run(*parse("outputs(boxes=0) | decode(yolo8) | keypoints(2, xys)"), views, {1, 1}, {48, 16});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("a box has 6 numbers there, expected at least 11"));
}

TEST(Keypoints, PlacesThatAreTakenForScoresAreRefused) {
  // Without keypoints(…), the 51 numbers of 17 points would be 51 classes.
  std::vector<float> values(56 * 84, 0.5F);
  values[50 * 84] = 300;
  const Tensor output = make_tensor("output0", {1, 56, 84}, values);
  const std::vector<TensorView> views{output};
  const auto made = run(*parse("outputs(boxes=0) | decode(yolo8)"), views, {64, 64}, {64, 64});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("numbers up to 300, as places in pixels are"));
  // A model that overflows is another fault.
  values[50 * 84] = std::numeric_limits<float>::infinity();
  const Tensor broken = make_tensor("output0", {1, 56, 84}, values);
  const std::vector<TensorView> of_broken{broken};
  EXPECT_TRUE(run(*parse("outputs(boxes=0) | decode(yolo8)"), of_broken, {64, 64}, {64, 64}));
}

TEST(Turned, TheBoxIsThatAroundItsCorners) {
  // 10 x 5 around (16, 8), a quarter of a turn: 5 wide and 10 high.
  const float quarter = std::numbers::pi_v<float> / 2;
  const Tensor output = make_tensor(
      "output0", {1, 6, 2}, std::vector<float>{16, 0, 8, 0, 10, 1, 5, 1, .9F, .1F, quarter, 0});
  const auto answer =
      answered("outputs(boxes=0) | decode(yolo8) | angle | threshold(0.5) | boxes(xyxy, pixels)",
               {output}, {64, 32}, {32, 16});
  EXPECT_THAT((*answer.boxes)[0], ElementsAre(FloatNear(27, 1e-4F), FloatNear(6, 1e-4F),
                                              FloatNear(37, 1e-4F), FloatNear(26, 1e-4F)));
  EXPECT_THAT(*answer.classes, ElementsAre(0));
  EXPECT_EQ(answer.points->size(), 4u);
}

}  // namespace
}  // namespace edgeprobe::postprocess::detection
