// SPDX-License-Identifier: Apache-2.0
// Greedy CTC decoding. Expected texts are written by hand from CTC's definition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "postprocess/transcript/decode.h"
#include "postprocess/transcript/proposal.h"

namespace edgeprobe::postprocess::transcript {
namespace {

using testing::HasSubstr;

/// A recipe with the characters a, b, c.
Recipe recipe_of(std::string_view text) {
  auto recipe = parse(text);
  EXPECT_TRUE(recipe) << recipe.error().what;
  recipe->dictionary.characters = {"a", "b", "c"};
  return *recipe;
}

/// Scores of a path: 0.9 - 0.1 i for the best class of step i, 0 for the others.
Tensor scores_of(const std::vector<std::size_t>& path, std::int64_t classes) {
  const auto width = static_cast<std::size_t>(classes);
  std::vector<float> values(path.size() * width, 0.0F);
  for (std::size_t i = 0; i < path.size(); ++i)
    values[i * width + path[i]] = 0.9F - 0.1F * static_cast<float>(i);
  return make_tensor("scores", {1, static_cast<std::int64_t>(path.size()), classes}, values);
}

trace::Answer answered(std::string_view text, const std::vector<std::size_t>& path,
                       std::int64_t classes = 4) {
  const Tensor scores = scores_of(path, classes);
  const TensorView view = scores;
  const auto answer = run(recipe_of(text), std::span(&view, 1));
  EXPECT_TRUE(answer) << answer.error().what;
  return answer ? *answer : trace::Answer{};
}
std::string text_of(std::string_view text, const std::vector<std::size_t>& path,
                    std::int64_t classes = 4) {
  return answered(text, path, classes).text.value_or("?");
}
std::string refusal(std::string_view text, const Tensor& output) {
  const TensorView view = output;
  const auto answer = run(recipe_of(text), std::span(&view, 1));
  EXPECT_FALSE(answer);
  return answer ? "" : answer.error().what;
}

TEST(Transcript, RepeatsAreMergedAndBlanksDropped) {
  EXPECT_EQ(text_of("ctc(k.txt)", {1, 1, 0, 1, 2, 0, 0, 3}), "aabc");
  EXPECT_EQ(text_of("ctc(k.txt, repeats=kept)", {1, 1, 0, 1}), "aaa");
  EXPECT_EQ(text_of("ctc(k.txt, repeats=merged_after)", {1, 1, 0, 1, 2}), "ab");
  EXPECT_EQ(text_of("ctc(k.txt, blanks=dash)", {1, 1, 0, 0, 1}), "a-a");
  EXPECT_EQ(text_of("ctc(k.txt, blanks=word)", {0, 1}), "blanka");
  EXPECT_EQ(text_of("ctc(k.txt)", {0, 0}), "");
}

TEST(Transcript, TheBlankMayBeTheLastClassAndTheSpaceTheOneAfterTheDictionary) {
  EXPECT_EQ(text_of("ctc(k.txt, blank=last)", {0, 0, 3, 0, 1}), "aab");
  EXPECT_EQ(text_of("ctc(k.txt, space=last)", {1, 4, 2}, 5), "a b");
  EXPECT_EQ(text_of("ctc(k.txt, blank=last, space=last)", {0, 3, 4, 1}, 5), "a b");
  EXPECT_EQ(text_of("ctc(k.txt, space=dropped)", {1, 4, 2}, 5), "ab");
  EXPECT_EQ(text_of("ctc(k.txt, shift=1)", {1, 0, 2, 3}), "bc");
  EXPECT_EQ(text_of("ctc(k.txt, shift=-1)", {1, 0, 2, 3}), "ab");
}

TEST(Transcript, TheConfidenceIsThatOfTheWrittenSteps) {
  const std::vector<std::size_t> path{1, 1, 0, 1, 0};  // 0.9, 0.8, 0.7, 0.6, 0.5
  EXPECT_FLOAT_EQ(answered("ctc(k.txt)", path).scores->at(0), 0.75F);
  EXPECT_FLOAT_EQ(answered("ctc(k.txt, confidence=all)", path).scores->at(0), 0.7F);
  EXPECT_FLOAT_EQ(answered("ctc(k.txt, repeats=kept)", path).scores->at(0), 2.3F / 3);
  EXPECT_FLOAT_EQ(answered("ctc(k.txt, confidence=product)", path).scores->at(0), 0.54F);
  EXPECT_FLOAT_EQ(answered("ctc(k.txt, confidence=min)", path).scores->at(0), 0.6F);
  EXPECT_FLOAT_EQ(answered("ctc(k.txt)", {0}).scores->at(0), 0.0F);
  const float e = std::exp(0.9F);
  EXPECT_FLOAT_EQ(answered("softmax | ctc(k.txt)", {2}).scores->at(0), e / (e + 3));
}

TEST(Transcript, EveryUsualOrderOfTheOutputIsRead) {
  const std::vector<float> rows{0, 1, 0, 0, 0, 0, 1, 0};  // a, then b
  const std::vector<float> columns{0, 0, 1, 0, 0, 1, 0, 0};
  for (const Shape& shape : {Shape{1, 2, 4}, Shape{2, 1, 4}, Shape{2, 4}, Shape{1, 1, 2, 4}}) {
    const Tensor output = make_tensor("x", shape, rows);
    const TensorView view = output;
    EXPECT_EQ(run(recipe_of("ctc(k.txt)"), std::span(&view, 1))->text, "ab");
  }
  const Tensor output = make_tensor("x", {1, 4, 2}, columns);
  const TensorView view = output;
  EXPECT_EQ(run(recipe_of("ctc(k.txt, axis=first)"), std::span(&view, 1))->text, "ab");
  const Tensor single = make_tensor("x", {1, 1, 4}, {0, 0, 0, 1});
  const TensorView one = single;
  EXPECT_EQ(run(recipe_of("ctc(k.txt)"), std::span(&one, 1))->text, "c");
}

TEST(Transcript, QuantisedOutputsTieAndNanWinsAsInNumPy) {
  Tensor codes{{"codes", DType::kInt8, {1, 2, 4}, {{0.1F}, {-128}, 0}}, {}};
  for (const int code : {-128, 5, 5, -3, 9, 9, -128, -128})
    codes.bytes.push_back(static_cast<std::byte>(code));
  const TensorView view = codes;
  const auto answer = run(recipe_of("dequantize | ctc(k.txt)"), std::span(&view, 1));
  EXPECT_EQ(answer->text, "a");
  EXPECT_FLOAT_EQ(answer->scores->at(0), 13.3F);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor bad = make_tensor("x", {1, 1, 4}, {0, 1, nan, 2});
  const TensorView broken = bad;
  const auto said = run(recipe_of("ctc(k.txt)"), std::span(&broken, 1));
  EXPECT_EQ(said->text, "b");
  EXPECT_TRUE(std::isnan(said->scores->at(0)));
}

TEST(Transcript, MisfitsAreRefused) {
  EXPECT_THAT(refusal("ctc(k.txt)", scores_of({1}, 5)), HasSubstr("add space=last"));
  EXPECT_THAT(refusal("ctc(k.txt, space=last)", scores_of({1}, 4)),
              HasSubstr("leave space=last out"));
  EXPECT_THAT(refusal("ctc(k.txt)", scores_of({1, 2, 3, 0}, 9)),
              HasSubstr("axis=first reads the output's other dimension"));
  EXPECT_THAT(refusal("ctc(k.txt)", scores_of({1, 2}, 9)),
              HasSubstr("the output has 9 classes, the 3 characters of 'k.txt' with the blank "
                        "make 4; give the dictionary"));
  EXPECT_THAT(refusal("ctc(k.txt)", make_tensor("x", {2, 3, 4}, std::vector<float>(24))),
              HasSubstr("one row of scores per step"));
  EXPECT_THAT(refusal("output(2) | ctc(k.txt)", scores_of({1}, 4)),
              HasSubstr("the model has 1 outputs"));
}

TEST(Transcript, TextsParseAndPrint) {
  for (const char* const text :
       {"codes | ctc(k.txt, blank=first)", "dequantize | softmax | ctc(k.txt, blank=last)",
        "codes | softmax | softmax | ctc(k.txt, blank=first, space=last, axis=first, "
        "repeats=kept, blanks=dash, shift=-2, confidence=all)"}) {
    const auto recipe = parse(text);
    ASSERT_TRUE(recipe) << recipe.error().what;
    EXPECT_EQ(to_text(*recipe), text);
  }
  EXPECT_THAT(parse("softmax").error().what, HasSubstr("ctc(…): it is missing"));
  EXPECT_THAT(parse("ctc()").error().what, HasSubstr("one character per line"));
  EXPECT_THAT(parse("ctc(k.txt, blank=frist)").error().what, HasSubstr("first"));
}

TEST(Transcript, ARecogniserIsKnownByItsSizes) {
  std::string ten = "0";
  for (int i = 1; i < 10; ++i) ten += "\n" + std::to_string(i);
  const auto looks = [&](Shape input, Shape output, bool has_dictionary) {
    Recogniser model{"r.onnx", std::move(input), std::move(output), {}};
    if (has_dictionary) model.properties["character"] = ten;
    const auto found = proposal(model);
    return found ? found->recipe : "";
  };
  EXPECT_EQ(looks({-1, 3, -1, -1}, {-1, -1, 12}, true),
            "letterbox(48x320, bilinear, like=opencv, sides=ceil, place=top_left, fill=127.5) | "
            "color(bgr) | normalize(mean=127.5, std=127.5) | layout(nchw) || ctc(r.onnx, "
            "blank=first, space=last)");
  EXPECT_THAT(looks({1, 1, 32, 100}, {1, 26, 11}, true), HasSubstr("ctc(r.onnx, blank=first)"));
  EXPECT_THAT(looks({1, 3, 48, 320}, {1, 40, 97}, false), HasSubstr("ctc(dictionary.txt"));
  // Another dictionary; no line of text; PARSeq, which has no blank; no picture.
  EXPECT_EQ(looks({-1, 3, 48, -1}, {-1, -1, 14}, true), "");
  EXPECT_EQ(looks({1, 3, 224, 224}, {1, 56, 97}, false), "");
  EXPECT_EQ(looks({1, 3, 32, 128}, {1, 26, 95}, false), "");
  EXPECT_EQ(looks({1, 40, 80}, {1, 20, 97}, false), "");
}

}  // namespace
}  // namespace edgeprobe::postprocess::transcript
