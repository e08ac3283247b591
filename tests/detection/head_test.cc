// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "postprocess/detection/candidates.h"
#include "postprocess/detection/proposal.h"

namespace edgeprobe::postprocess::detection {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Size kModel{48, 16};

trace::Answer answered(const char* text, const Tensor& output) {
  const auto recipe = parse(text);
  EXPECT_TRUE(recipe) << recipe.error().what;
  const std::vector<TensorView> views{output};
  auto answer = run(*recipe, views, {480, 160}, kModel);
  EXPECT_TRUE(answer) << answer.error().what;
  return answer ? *answer : trace::Answer{};
}

std::string refusal(const char* text, const Shape& shape, Size model) {
  std::size_t size = 1;
  for (const auto side : shape) size *= static_cast<std::size_t>(side);
  const Tensor output = make_tensor("output0", shape, std::vector<float>(size));
  const std::vector<TensorView> views{output};
  const auto answer = run(*parse(text), views, {1, 1}, model);
  return answer ? "none" : answer.error().what;
}

// Three boxes of two classes: centres and sides in pixels of the model's input.
const std::vector<float> kColumns{8,   32,  48,   //
                                  8,   16,  24,   //
                                  16,  8,   4,    //
                                  8,   16,  16,   //
                                  .9F, .1F, .2F,  //
                                  .3F, .6F, .1F};

TEST(Head, AColumnIsABoxOfYolo8) {
  const auto answer = answered("decode(yolo8) | best_class | threshold(0.5) | boxes(xyxy, pixels)",
                               make_tensor("output0", {1, 6, 3}, kColumns));
  EXPECT_THAT(*answer.scores, ElementsAre(.9F, .6F));
  EXPECT_THAT(*answer.classes, ElementsAre(0, 1));
  EXPECT_THAT((*answer.boxes)[0], ElementsAre(0, 40, 160, 120));
  EXPECT_THAT((*answer.boxes)[1], ElementsAre(280, 80, 360, 240));
}

TEST(Head, NumbersBehindTheScoresAreNoClasses) {
  const auto answer = answered("decode(yolo8, extra=1) | threshold(0.5)",
                               make_tensor("output0", {1, 6, 3}, kColumns));
  EXPECT_THAT(*answer.classes, ElementsAre(0));
}

TEST(Head, TheScoreOfYolo5IsAProductWithTheObjectness) {
  const Tensor rows =
      make_tensor("output0", {1, 3, 7},
                  {8, 8, 16, 8, .5F, .8F, .2F, 32, 16, 8, 16, 1, .1F, .6F, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_THAT(*answered("decode(yolo5) | best_class | threshold(0.3)", rows).scores,
              ElementsAre(.6F, .4F));
  EXPECT_THAT(
      *answered("decode(yolo5, objectness=ignored) | best_class | threshold(0.3)", rows).scores,
      ElementsAre(.8F, .6F));
  EXPECT_THAT(
      *answered("decode(yolo5, objectness=alone) | best_class | threshold(0.3)", rows).classes,
      ElementsAre(1, 0));
}

TEST(Head, ARowOfAModelThatHasSuppressedKeepsItsPlace) {
  const Tensor rows =
      make_tensor("output0", {1, 2, 6}, {0, 0, 32, 16, .4F, 7, 16, 8, 48, 24, .9F, 2});
  const auto answer = answered(
      "detections(xyxy, row=box_score_class) | threshold(0.3) | boxes(xyxy, pixels)", rows);
  EXPECT_THAT(*answer.classes, ElementsAre(7, 2));
  EXPECT_THAT((*answer.boxes)[1], ElementsAre(160, 80, 480, 240));
}

TEST(Head, TheLastClassIsLeftOut) {
  const Tensor boxes = make_tensor("boxes", {1, 1, 4}, {.5F, .5F, 1, 1});
  const Tensor scores = make_tensor("scores", {1, 1, 3}, {.2F, .3F, .5F});
  const std::vector<TensorView> views{boxes, scores};
  const auto recipe = parse("decode(none, order=cxcywh) | skip(1, last) | best_class");
  EXPECT_THAT(*run(*recipe, views, {1, 1}, {1, 1})->classes, ElementsAre(1));
}

TEST(Head, ItLooksLikeWhatItsSizesAre) {
  const auto look = [](const Shape& shape, std::size_t names = 0) {
    const auto found = look_of(shape, {640, 640}, names);
    return found ? found->step + ": " + found->words : "nothing";
  };
  EXPECT_EQ(look({1, 84, 8400}), "decode(yolo8): YOLOv8's head (4 + 80 classes)");
  EXPECT_EQ(look({1, 116, 8400}, 80),
            "decode(yolo8, extra=32): YOLOv8's head (4 + 80 classes + 32)");
  EXPECT_EQ(look({1, 84, 8400, 1}), look({84, 8400}));
  EXPECT_THAT(look({1, 25200, 85}), HasSubstr("decode(yolo5)"));
  EXPECT_EQ(look({1, 25200, 117}, 80),
            "decode(yolo5, extra=32): YOLOv5's head (5 + 80 classes + 32)");
  EXPECT_EQ(look({1, 8400, 6}),
            "decode(yolox), or decode(yolo8, boxes=rows): YOLOX's head (5 + 1 class), or YOLOv8's "
            "by rows (4 + 2 classes)");
  EXPECT_THAT(look({1, 8400, 85}), HasSubstr("decode(yolox)"));
  EXPECT_THAT(look({1, 8400, 84}), HasSubstr("decode(yolo8, boxes=rows)"));
  EXPECT_THAT(look({1, 300, 6}), HasSubstr("detections(xyxy, row=box_score_class)"));
  for (const Shape& shape : {Shape{1, 1000}, Shape{1, 8400, 4}, Shape{1, 32, 160, 160},
                             Shape{1, 128, 768}, Shape{1, 300, 91}, Shape{1, 640, 640}, Shape{1, 6},
                             Shape{1, 1, 6}, Shape{1, 1600, 1700}, Shape{1, 17, 3}})
    EXPECT_EQ(look(shape), "nothing") << edgeprobe::to_text(shape);
}

TEST(Head, AStepOfAnotherHeadIsRefusedWithTheOneThatFits) {
  const Size model{640, 640};
  EXPECT_EQ(refusal("decode(yolo5)", {1, 84, 8400}, model),
            "output 'output0' is 1x84x8400: it looks like YOLOv8's head (4 + 80 classes); use "
            "decode(yolo8)");
  EXPECT_THAT(refusal("decode(yolo8)", {1, 25200, 85}, model), HasSubstr("use decode(yolo5)"));
  EXPECT_THAT(refusal("decode(yolo8, boxes=rows)", {1, 25200, 85}, model),
              HasSubstr("use decode(yolo5)"));
  EXPECT_THAT(refusal("decode(yolo8)", {1, 300, 6}, model), HasSubstr("row=box_score_class"));
  EXPECT_EQ(refusal("decode(yolo8, boxes=rows, unit=shares)", {1, 300, 6}, model), "none");
  EXPECT_THAT(refusal("detections(xyxy, row=box_score_class)", {1, 84, 8400}, model),
              HasSubstr("use decode(yolo8)"));
  EXPECT_THAT(refusal("decode(yolo8)", {1, 86, 9}, {100, 100}), HasSubstr("boxes=rows"));
  EXPECT_THAT(refusal("decode(yolo8)", {1, 4, 8400}, model), HasSubstr("at least 5"));
  EXPECT_THAT(refusal("decode(yolo8)", {2, 84, 8400}, model), HasSubstr("expected [1, N"));
  EXPECT_THAT(refusal("decode(yolox)", {1, 84, 85}, {64, 64}), testing::Not(HasSubstr("looks")));
}

TEST(Head, SizesOfTwoHeadsAreNotBelievedWithoutNames) {
  const Size model{640, 640};
  const std::string other = "; if it is another head, name its classes with labels(FILE)";
  EXPECT_EQ(refusal("decode(yolo5, boxes=columns)", {1, 84, 8400}, model),
            "output 'output0' is 1x84x8400: it looks like YOLOv8's head (4 + 80 classes); use "
            "decode(yolo8)" +
                other);
  EXPECT_THAT(refusal("decode(yolox, boxes=columns)", {1, 25, 8400}, model),
              HasSubstr("YOLOv8's head (4 + 21 classes)"));
  EXPECT_THAT(refusal("decode(yolo5)", {1, 8400, 84}, model),
              HasSubstr("by rows (4 + 80 classes)"));
  EXPECT_THAT(refusal("decode(yolo8, boxes=rows)", {1, 8400, 85}, model),
              HasSubstr("YOLOX's head (5 + 80 classes)"));
  // 85 columns may be 80 classes and an objectness.
  EXPECT_EQ(refusal("decode(yolo5, boxes=columns)", {1, 85, 8400}, model), "none");
  EXPECT_EQ(refusal("decode(yolo8)", {1, 85, 8400}, model), "none");
  // 84 columns are COCO's classes, not 29 and 17 points.
  for (const char* const text : {"decode(yolo8) | keypoints(17, xys)", "decode(yolo8, extra=32)"})
    EXPECT_THAT(refusal(text, {1, 84, 8400}, model), HasSubstr("use decode(yolo8)")) << text;
}

TEST(Head, NamesTellObjectnessAndMasksFromClasses) {
  const Size model{640, 640};
  const auto why = [&](const char* text, const Shape& shape, std::size_t names) {
    const auto done =
        check_head(parse(text)->head, {"o", DType::kFloat32, shape, {}}, model, names);
    return done ? "none" : done.error().what;
  };
  EXPECT_THAT(why("decode(yolo8, boxes=rows)", {1, 25200, 15}, 10), HasSubstr("use decode(yolo5)"));
  EXPECT_THAT(why("decode(yolo5)", {1, 8400, 14}, 10), HasSubstr("use decode(yolo8, boxes=rows)"));
  EXPECT_THAT(why("decode(yolo8)", {1, 46, 8400}, 10), HasSubstr("use decode(yolo8, extra=32)"));
  EXPECT_EQ(why("decode(yolo8)", {1, 15, 8400}, 10), "none");  // A file with a name too few.
  EXPECT_EQ(why("decode(yolo8, extra=32)", {1, 46, 8400}, 10), "none");
  EXPECT_EQ(why("decode(yolo5)", {1, 25200, 14}, 10), "none");
  EXPECT_THAT(why("decode(yolo5)", {1, 25200, 117}, 80), HasSubstr("use decode(yolo5, extra=32)"));
  EXPECT_EQ(why("decode(yolo5, extra=32)", {1, 25200, 117}, 80), "none");
}

TEST(Proposal, ThatOfUltralyticsIsAWholeRecipe) {
  const std::vector<TensorSpec> outputs{{"output0", DType::kFloat32, {1, 38, 8400}, {}},
                                        {"output1", DType::kFloat32, {1, 32, 160, 160}, {}}};
  Exported exported;
  exported.properties = {{"author", "Ultralytics"}, {"names", "{0: 'cup: red', 1: \"it's\"}"}};
  const auto made = proposal(outputs, {640, 640}, exported);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->looks_like, "YOLOv8's head (4 + 2 classes + 32)");
  EXPECT_EQ(made->recipe,
            "letterbox(640x640, bilinear, like=opencv, fill=114) | color(rgb) | scale(0..1) | "
            "layout(nchw) || outputs(boxes=0) | decode(yolo8, extra=32) | best_class | "
            "threshold(0.25) | nms(0.7, per_class) | topk(300) | "
            "boxes(xyxy, letterbox_whole, cut)");
  exported.properties["task"] = "classify";
  EXPECT_FALSE(proposal(outputs, {640, 640}, exported));
  exported.properties["task"] = "detect";
  EXPECT_TRUE(proposal(outputs, {640, 640}, exported));
  exported.properties["description"] = "Ultralytics rtdetr-l model";
  EXPECT_FALSE(proposal(outputs, {640, 640}, exported));
}

TEST(Proposal, PointsAndAnAngleAreThoseThatTheExporterWroteDown) {
  const auto made = [](std::map<std::string, std::string> properties, const Shape& shape) {
    const std::vector<TensorSpec> outputs{{"output0", DType::kFloat32, shape, {}}};
    const auto found = proposal(outputs, {640, 640}, {std::move(properties), false});
    return found ? found->looks_like + ": " + found->recipe : "nothing";
  };
  EXPECT_THAT(made({{"task", "pose"}, {"kpt_shape", "[17, 3]"}}, {1, 56, 8400}),
              HasSubstr("(4 + 1 class + 17 points): || outputs(boxes=0) | decode(yolo8) | "
                        "keypoints(17, xys) | best_class"));
  EXPECT_THAT(made({{"task", "pose"}, {"kpt_shape", "[21, 2]"}}, {1, 47, 8400}),
              HasSubstr("decode(yolo8) | keypoints(21, xy) |"));
  EXPECT_THAT(made({{"task", "pose"}, {"kpt_shape", "[17, 3]"}}, {1, 300, 57}),
              HasSubstr("row=box_score_class) | keypoints(17, xys) | threshold(0.25)"));
  EXPECT_THAT(made({{"task", "obb"}, {"names", "{0: 'plane', 1: 'ship'}"}}, {1, 7, 8400}),
              HasSubstr("decode(yolo8) | angle | best_class | threshold(0.25) | nms(0.7, "
                        "per_class, of=gaussians, by=all)"));
}

TEST(Proposal, MediaPipesDetectorsAreToldByTheirAnchors) {
  const auto made = [](const Shape& boxes, double side) {
    const std::vector<TensorSpec> outputs{{"r", DType::kFloat32, boxes, {}},
                                          {"c", DType::kFloat32, {1, boxes[1], 1}, {}}};
    const auto found = proposal(outputs, {side, side}, {});
    return found ? found->looks_like + ": " + found->recipe : "nothing";
  };
  EXPECT_EQ(made({1, 896, 16}, 128),
            "MediaPipe's detector of faces (6 points): || outputs(boxes=0, scores=1) | "
            "decode(offset, short_range, 128) | keypoints(6, xy) | sigmoid | threshold(0.5) | "
            "nms(0.3, all_classes, merge=weighted) | boxes(xyxy, letterbox_centered)");
  EXPECT_THAT(made({1, 896, 16}, 256), HasSubstr("back_camera, 256"));
  EXPECT_THAT(made({1, 2304, 16}, 192), HasSubstr("full_range, 192"));
  EXPECT_THAT(made({1, 2016, 18}, 192), HasSubstr("palms (7 points)"));
  EXPECT_EQ(made({1, 900, 16}, 128), "nothing");
}

TEST(Proposal, ATransformerIsToldByItsType) {
  const auto made = [](const char* type, const char* boxes, const char* scores) {
    const std::vector<TensorSpec> outputs{{scores, DType::kFloat32, {1, 300, 91}, {}},
                                          {boxes, DType::kFloat32, {1, 300, 4}, {}}};
    const auto found = proposal(outputs, {560, 560}, {{}, false, type});
    return found ? found->looks_like + ": " + found->recipe : "nothing";
  };
  EXPECT_EQ(made("detr", "pred_boxes", "logits"),
            "DETR's boxes and logits (300 queries, the last class is no object): || "
            "outputs(boxes=1, scores=0) | decode(none, order=cxcywh) | softmax | skip(1, last) | "
            "best_class | threshold(0.7) | boxes(xyxy, pixels)");
  EXPECT_THAT(made("rt_detr", "pred_boxes", "logits"), HasSubstr("sigmoid | threshold(0.5)"));
  EXPECT_THAT(made("", "dets", "labels"), HasSubstr("RF-DETR's boxes and logits (300 queries)"));
  EXPECT_EQ(made("", "pred_boxes", "logits"), "nothing");
  EXPECT_EQ(made("owlvit", "pred_boxes", "logits"), "nothing");
}

TEST(Proposal, OfTwoHeadsThatMayBeItIsNone) {
  const std::vector<TensorSpec> outputs{{"output", DType::kFloat32, {1, 8400, 6}, {}}};
  EXPECT_FALSE(proposal(outputs, {640, 640}, {}));
  Exported named;
  named.properties = {{"names", "{0: 'cat'}"}};
  EXPECT_EQ(proposal(outputs, {640, 640}, named)->looks_like, "YOLOX's head (5 + 1 class)");
}

TEST(Proposal, ARecipeIsOneThatIsRead) {
  const Exported shares{{}, true};
  for (const Shape& shape : {Shape{1, 84, 8400}, Shape{1, 25200, 85}, Shape{1, 8400, 85},
                             Shape{1, 300, 6}, Shape{10, 7}})
    for (const Exported& exported : {Exported{}, shares}) {
      const std::vector<TensorSpec> outputs{{"o", DType::kInt8, shape, {}}};
      const auto made = proposal(outputs, {640, 640}, exported);
      ASSERT_TRUE(made) << edgeprobe::to_text(shape);
      const auto recipe = parse(made->recipe.substr(2));
      EXPECT_TRUE(recipe) << made->recipe << ": " << recipe.error().what;
    }
  const std::vector<TensorSpec> four{{"b", DType::kFloat32, {1, 10, 4}, {}},
                                     {"c", DType::kFloat32, {1, 10}, {}},
                                     {"s", DType::kFloat32, {1, 10}, {}},
                                     {"n", DType::kFloat32, {1}, {}}};
  EXPECT_THAT(proposal(four, {300, 300}, {})->recipe, HasSubstr("detections(yxyx)"));
  EXPECT_FALSE(proposal(std::span(four).first(2), {300, 300}, {}));
  const std::vector<TensorSpec> apart{{"scores", DType::kFloat32, {1, 8400, 80}, {}},
                                      {"boxes", DType::kFloat32, {1, 8400, 4}, {}}};
  EXPECT_FALSE(proposal(apart, {640, 640}, {}));
}

}  // namespace
}  // namespace edgeprobe::postprocess::detection
