// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace edgeprobe::postprocess::detection {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Four boxes of a model that has suppressed, of which three count.
std::vector<Tensor> suppressed_outputs() {
  return {make_tensor("boxes", {1, 4, 4},
                      {0, 0, .5F, .25F,  //
                       .5F, .5F, 1, 1,   //
                       0, .5F, .25F, 1,  //
                       0, 0, 1, 1}),
          make_tensor("classes", {1, 4}, {2, 0, 1, 1}),
          make_tensor("scores", {1, 4}, {.9F, .8F, .3F, .2F}), make_tensor("count", {1}, {3})};
}

std::vector<TensorView> views(const std::vector<Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}

TEST(RunBoxes, OfAModelThatHasSuppressed) {
  const auto outputs = suppressed_outputs();
  const auto recipe = parse("detections(yxyx) | threshold(0.5) | boxes(xywh, pixels)");
  const auto answer = run(*recipe, views(outputs), {200, 100}, {300, 300});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_THAT(*answer->scores, ElementsAre(.9F, .8F));
  EXPECT_THAT(*answer->classes, ElementsAre(2, 0));
  // y1 x1 y2 x2 = 0 0 .5 .25 in a picture of 200 x 100.
  EXPECT_THAT((*answer->boxes)[0], ElementsAre(0, 0, 50, 50));
  EXPECT_THAT((*answer->boxes)[1], ElementsAre(100, 50, 100, 50));
}

TEST(RunBoxes, TheCountOfTheModelHolds) {
  auto outputs = suppressed_outputs();
  const auto recipe = parse("detections(yxyx)");
  EXPECT_EQ(run(*recipe, views(outputs), {1, 1}, {1, 1})->boxes->size(), 3u);
  for (const float count : {-1.F, NAN}) {
    outputs[3] = make_tensor("count", {1}, {count});
    EXPECT_TRUE(run(*recipe, views(outputs), {1, 1}, {1, 1})->boxes->empty());
  }
  outputs[3] = make_tensor("count", {1}, {1e30F});
  EXPECT_EQ(run(*recipe, views(outputs), {1, 1}, {1, 1})->boxes->size(), 4u);
}

TEST(RunBoxes, ScoresThatAreNoNumbersAndWildClassesMakeNoBox) {
  auto outputs = suppressed_outputs();
  outputs[2] = make_tensor("scores", {1, 4}, {NAN, .8F, .3F, .2F});
  outputs[1] = make_tensor("classes", {1, 4}, {2, NAN, 1, 1});
  const auto recipe = parse("detections(yxyx)");
  EXPECT_THAT(*run(*recipe, views(outputs), {1, 1}, {1, 1})->scores, ElementsAre(.3F));
}

TEST(RunBoxes, OfCodesAndAnchors) {
  // Two anchors; scores of a background and two classes.
  const std::vector<Tensor> outputs{
      make_tensor("codes", {1, 2, 4}, {1, 0, 0, std::log(2.F) / .2F, 0, 0, 0, 0}),
      make_tensor("scores", {1, 2, 3}, {0, .1F, .9F, 0, .6F, .2F})};
  auto recipe =
      parse("decode(ssd, own, 0.1, 0.2) | skip(1) | threshold(0.5) | boxes(xyxy, shares)");
  recipe->anchors.list = std::make_shared<const std::vector<Anchor>>(
      std::vector<Anchor>{{.5, .5, .2, .1}, {.25, .25, .5, .5}});
  const auto answer = run(*recipe, views(outputs), {10, 10}, {10, 10});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_THAT(*answer->classes, ElementsAre(1, 0));
  // Centre .5 + 1 * .1 * .2 = .52, width .2, height 2 * .1.
  const auto& box = (*answer->boxes)[0];
  EXPECT_NEAR(box[0], .42, 1e-6);
  EXPECT_NEAR(box[1], .4, 1e-6);
  EXPECT_NEAR(box[2], .62, 1e-6);
  EXPECT_NEAR(box[3], .6, 1e-6);
}

TEST(RunBoxes, HowManyBoxesIsKnownBeforeTheAnchors) {
  const std::vector<Tensor> outputs{make_tensor("codes", {1, 2, 4}, std::vector<float>(8)),
                                    make_tensor("scores", {1, 2, 3}, std::vector<float>(6))};
  EXPECT_EQ(*boxes_in(*parse("decode(ssd, own, 0.1, 0.2)"), views(outputs), {1, 1}), 2u);
}

TEST(RunBoxes, OneOutputForBoxesAndScoresIsRefused) {
  for (const auto& [shape, step] : {std::pair{Shape{1, 6, 16}, "use decode(yolo8)"},
                                    std::pair{Shape{1, 20, 9}, "decode(yolo8, boxes=rows)"},
                                    std::pair{Shape{1, 300, 6}, "row=box_score_class"}}) {
    const auto size = static_cast<std::size_t>(shape[1] * shape[2]);
    const std::vector<Tensor> head{make_tensor("output0", shape, std::vector<float>(size))};
    const auto answer = run(*parse("outputs(boxes=0, scores=0) | decode(none, order=cxcywh)"),
                            views(head), {1, 1}, {32, 32});
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().what, HasSubstr("the scores in another output"));
    EXPECT_THAT(answer.error().what, HasSubstr(step));
  }
}

TEST(RunBoxes, RowsOfOtherWidthsThanFourAreRefused) {
  const std::vector<Tensor> outputs{make_tensor("boxes", {1, 3, 5}, std::vector<float>(15)),
                                    make_tensor("scores", {1, 3, 2}, std::vector<float>(6))};
  EXPECT_THAT(run(*parse("decode(none)"), views(outputs), {1, 1}, {1, 1}).error().what,
              HasSubstr("'boxes' is 1x3x5, expected [1, N, 4]"));
}

TEST(RunBoxes, OutputsOfUnlikeNumbersOfBoxesAreRefused) {
  const std::vector<Tensor> outputs{make_tensor("boxes", {1, 3, 4}, std::vector<float>(12)),
                                    make_tensor("scores", {1, 4, 2}, std::vector<float>(8))};
  const auto answer = run(*parse("decode(none)"), views(outputs), {1, 1}, {1, 1});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what, HasSubstr("'scores' is 1x4x2, expected a row of scores for each "
                                             "of the 3 boxes of output 0"));
}

TEST(RunBoxes, OutputsThatDoNotFitAreNamed) {
  const auto outputs = suppressed_outputs();
  const auto of = [&](const char* text) {
    const auto answer = run(*parse(text), views(outputs), {1, 1}, {1, 1});
    return answer ? "none" : answer.error().what;
  };
  EXPECT_THAT(of("outputs(boxes=7, scores=1, classes=2) | detections(yxyx)"),
              HasSubstr("output 7"));
  EXPECT_THAT(of("outputs(boxes=3, scores=1, classes=2) | detections(yxyx)"), HasSubstr("count"));
  EXPECT_THAT(of("decode(ssd, ultraface)"), HasSubstr("anchors"));
}

}  // namespace
}  // namespace edgeprobe::postprocess::detection
