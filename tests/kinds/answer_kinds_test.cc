// SPDX-License-Identifier: Apache-2.0
#include "kinds/answer_kinds.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

namespace edgeprobe::kinds {
namespace {

// One recipe of each kind, as text.
const std::map<AnswerId, std::string> kRecipes{
    {AnswerId::kClasses, "dequantize | softmax | topk(5)"},
    {AnswerId::kBoxes, "detections(yxyx) | threshold(0.5) | boxes(xyxy)"},
    {AnswerId::kMask, "dequantize | argmax"},
    {AnswerId::kPoints, "dequantize | keypoints(yxs)"},
    {AnswerId::kVector, "dequantize | normalize(l2)"},
    {AnswerId::kScore, "dequantize | score(mse) | threshold(0.5)"},
    {AnswerId::kTranscript, "dequantize | softmax | ctc(keys.txt, space=last)"},
};

TEST(AnswerKinds, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const AnswerKind& kind : answer_kinds()) {
    EXPECT_EQ(&kind_of(kind.id), &kind);
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
  }
  EXPECT_EQ(names.size(), kRecipes.size());
}

TEST(AnswerKinds, ATextIsParsedByTheKindWhoseStepsItHas) {
  for (const auto& [id, text] : kRecipes) {
    EXPECT_EQ(answer_kind_of(text).id, id) << text;
    const auto recipe = parse_answer(text);
    ASSERT_TRUE(recipe) << text << ": " << recipe.error().what;
    EXPECT_EQ(id_of(*recipe), id) << text;
    const auto again = parse_answer(to_text(*recipe));
    ASSERT_TRUE(again) << to_text(*recipe);
    EXPECT_EQ(*again, *recipe) << to_text(*recipe);
  }
}

TEST(AnswerKinds, AWrongStepIsRefusedByItsKind) {
  const auto recipe = parse_answer("dequantize | argmax | argmax");
  ASSERT_FALSE(recipe);
  EXPECT_EQ(recipe.error().kind, ErrorKind::kUsage);
}

TEST(AnswerKinds, AMissingLabelFileIsNotFound) {
  for (const char* const text : {"softmax | labels(no_such_file.txt)",
                                 "detections(yxyx) | labels(no_such_file.txt) | boxes(xyxy)",
                                 "ctc(no_such_file.txt)", "ctc(no_such_file.onnx)"}) {
    auto recipe = parse_answer(text);
    ASSERT_TRUE(recipe) << recipe.error().what;
    const auto loaded = load_tables(*recipe);
    ASSERT_FALSE(loaded) << text;
    EXPECT_EQ(loaded.error().kind, ErrorKind::kNotFound) << loaded.error().what;
  }
}

TEST(AnswerKinds, AnAnswerIsOfTheKindsWhosePartsItHas) {
  trace::Answer answer;
  answer.labels.emplace();
  const auto held = [&] {
    std::set<AnswerId> ids;
    for (const AnswerKind& kind : answer_kinds())
      if (kind.is_in(answer)) ids.insert(kind.id);
    return ids;
  };
  EXPECT_EQ(held(), std::set{AnswerId::kClasses});
  answer.boxes.emplace();  // Its labels are those of the boxes.
  EXPECT_EQ(held(), std::set{AnswerId::kBoxes});
  answer.vector.emplace();  // Empty: the app has no vector.
  answer.alarm = false;
  EXPECT_EQ(held(), (std::set{AnswerId::kBoxes, AnswerId::kScore}));
  answer = {};
  answer.text = "4711";
  answer.scores.emplace(1, 0.9F);  // Of the text, not of classes.
  EXPECT_EQ(held(), std::set{AnswerId::kTranscript});
}

}  // namespace
}  // namespace edgeprobe::kinds
