// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::postprocess::detection {
namespace {

using testing::HasSubstr;

std::string complaint(std::string_view text) {
  const auto recipe = parse(text);
  return recipe ? "none" : recipe.error().what;
}

TEST(BoxRecipe, ATextBehindTheBarsIsOfBoxesByItsSteps) {
  EXPECT_TRUE(is_detection("detections(yxyx) | boxes(xyxy, pixels)"));
  EXPECT_TRUE(is_detection("sigmoid | nms(0.5)"));
  EXPECT_FALSE(is_detection("dequantize | softmax | topk(5)"));
  EXPECT_FALSE(is_detection("boxes("));
}

TEST(BoxRecipe, StepsOfAnchorsAreRead) {
  const auto recipe = parse(
      "dequantize | decode(ssd, a.npy, 0.1, 0.2, order=cycxhw) | sigmoid | skip(1) | "
      "threshold(0.3) "
      "| nms(0.45, per_class, of=smaller_area) | topk(20) | labels(coco.txt, shift=-1) | "
      "boxes(xywh, letterbox_centered, cut) | percent");
  ASSERT_TRUE(recipe) << recipe.error().what;
  EXPECT_EQ(recipe->outputs, (Outputs{0, 1, {}, {}, {}}));
  EXPECT_EQ(recipe->reading, Reading::kValues);
  EXPECT_EQ(recipe->decoding.coder, Coder::kSsd);
  EXPECT_EQ(recipe->decoding.order, CodeOrder::kCycxhw);
  EXPECT_EQ(recipe->decoding.size_variance, 0.2);
  EXPECT_EQ(recipe->anchors.source, "a.npy");
  EXPECT_EQ(recipe->skip, 1u);
  EXPECT_EQ(recipe->suppression.rivals, Rivals::kSameClass);
  EXPECT_EQ(recipe->suppression.of, OverlapOf::kSmallerArea);
  EXPECT_EQ(recipe->suppression.most, 20u);
  EXPECT_EQ(recipe->labels->shift, -1);
  EXPECT_EQ(recipe->report, Report::kXywh);
  EXPECT_EQ(recipe->placement.scale, Scale::kCentredLetterbox);
  EXPECT_TRUE(recipe->placement.is_cut);
  EXPECT_TRUE(recipe->percent);
}

TEST(BoxRecipe, AModelThatHasSuppressedKeepsItsOrder) {
  const auto recipe = parse("detections(yxyx) | threshold(0.5) | boxes(xyxy, shares)");
  ASSERT_TRUE(recipe) << recipe.error().what;
  EXPECT_EQ(recipe->outputs, (Outputs{0, 2, 1, 3, {}}));
  EXPECT_EQ(recipe->suppression.rivals, Rivals::kNone);
  EXPECT_FALSE(recipe->suppression.is_sorted);
}

TEST(BoxRecipe, TheCanonicalTextReadsBackAsTheSame) {
  for (const char* text :
       {"decode(ssd, ultraface, 0.1, 0.2) | skip(1) | threshold(0.5) | nms(0.3) | boxes(xyxy)",
        "outputs(boxes=3, scores=1, classes=0) | detections(xyxy) | boxes(yxhw, model_pixels)",
        "outputs(boxes=1, scores=0) | decode(offset, short_range, 128) | sigmoid | threshold(0.5)",
        "decode(none, order=cxcywh) | best_class | nms(0.5, per_class, of=union_of_pixels)",
        "outputs(boxes=2) | decode(yolo8, order=cxcywh, unit=shares, extra=32) | best_class",
        "decode(yolo8, order=xyxy, boxes=rows)", "decode(yolo5, objectness=alone) | sigmoid",
        "decode(yolox) | nms(0.45)", "decode(ssd, yolox) | boxes(xyxy, letterbox)",
        "decode(none, unit=model_pixels) | skip(1, last)",
        "decode(yolo8) | keypoints(17, xys, shown=0.5) | nms(0.7)",
        "decode(yolo8) | angle | nms(0.7, per_class, of=gaussians, by=all)",
        "outputs(boxes=0, scores=1, points=2) | decode(ssd, a.npy, 0.1, 0.2) | keypoints(5, xy)",
        "maps(boxes=[3, 4, 5], scores=[0, 1, 2], points=[6, 7, 8]) | decode(scrfd) | keypoints(5, "
        "xy)",
        "maps(boxes=[2, 3], object=[1, 0], scores=[4]) | decode(yunet, strides=[8, 16], "
        "objectness=factor) | sigmoid",
        "maps(boxes=7) | decode(yolo8_raw, boxes=rows, bins=8) | boxes(xyxy, letterbox)",
        "outputs(boxes=1) | detections(xyxy, row=class_score_box, unit=shares)"}) {
    const auto recipe = parse(text);
    ASSERT_TRUE(recipe) << recipe.error().what;
    const auto again = parse(to_text(*recipe));
    ASSERT_TRUE(again) << to_text(*recipe) << ": " << again.error().what;
    EXPECT_EQ(*again, *recipe) << to_text(*recipe);
  }
}

TEST(BoxRecipe, AHeadIsWrittenShortly) {
  for (const char* text :
       {"outputs(boxes=0) | codes | decode(yolo8, order=cxcywh) | boxes(xyxy, pixels)",
        "outputs(boxes=0) | codes | decode(yolox, order=cxcywh, boxes=columns) | boxes(xyxy, "
        "pixels)",
        "outputs(boxes=0) | codes | detections(xyxy, row=box_score_class) | boxes(xyxy, pixels)",
        "maps(boxes=[6, 7, 8], scores=[0, 1, 2], object=[3, 4, 5]) | codes | decode(yunet) | "
        "boxes(xyxy, pixels)"})
    EXPECT_EQ(to_text(*parse(text)), text);
  const auto recipe = parse("decode(yolo8)");
  EXPECT_TRUE(recipe->decoding.in_pixels);
  EXPECT_TRUE(recipe->head.is_by_columns);
  EXPECT_EQ(parse("decode(yolox)")->anchors.source, "yolox");
}

TEST(BoxRecipe, WrongTextsAreNamedWithTheirPlace) {
  EXPECT_THAT(complaint("detections(yxyx) | nms(0.5)"), HasSubstr("suppressed already"));
  EXPECT_THAT(complaint("decode(ssd, ultraface) | nms(1.5)"), HasSubstr("nms"));
  EXPECT_THAT(complaint("decode(ssd)"), HasSubstr("ultraface"));
  EXPECT_THAT(complaint("decode(ssd, ultraface, order=xyxy)"), HasSubstr("cxcywh"));
  EXPECT_THAT(complaint("decode(ssd, ultraface) | detections(yxyx)"),
              HasSubstr("decode and detections exclude each other"));
  EXPECT_THAT(complaint("outputs(boxes=0, scores=2) | decode(yolo8)"), HasSubstr("in one output"));
  EXPECT_THAT(complaint("decode(yolo8, objectness=alone)"), HasSubstr("objectness"));
  EXPECT_THAT(complaint("decode(yolo9)"), HasSubstr("yolo8"));
  EXPECT_THAT(complaint("nms(0.5) | decode(none)"), HasSubstr("must come before"));
  EXPECT_THAT(complaint("decode(none) | nsm(0.5)"), HasSubstr("nms"));
  EXPECT_THAT(complaint("threshold(0.5) | boxes(xyxy)"), HasSubstr("decode"));
  EXPECT_THAT(complaint("decode(none) | boxes(xyxy, pixel)"), HasSubstr("pixels"));
}

TEST(BoxRecipe, AnchorsOfAnotherNumberAreRefused) {
  auto recipe = parse("decode(ssd, ultraface, 0.1, 0.2)");
  ASSERT_TRUE(recipe);
  EXPECT_TRUE(load_anchors(*recipe, 320, 240, 4420));
  EXPECT_EQ(recipe->anchors.list->size(), 4420u);
  const auto refused = load_anchors(*recipe, 640, 480, 4420);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("4420"));
}

}  // namespace
}  // namespace edgeprobe::postprocess::detection
