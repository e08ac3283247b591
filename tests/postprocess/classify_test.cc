// SPDX-License-Identifier: Apache-2.0
// Expected numbers were printed by SciPy 1.x (softmax, log_softmax, expit) and NumPy.
#include "postprocess/classify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace edgeprobe::postprocess {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

const std::vector<float> kLogits{2.0f, -1.5f, 0.25f, 7.0f, 6.5f, -3.0f};

Tensor logits() { return make_tensor("logits", {1, 6}, kLogits); }

Tensor codes() {
  const signed char stored[] = {-128, -20, 5, 90, 127, 30};
  Tensor tensor{{"scores", DType::kInt8, {1, 6}, {{0.0625f}, {-3}, 0}}, {}};
  for (const signed char code : stored) tensor.bytes.push_back(static_cast<std::byte>(code));
  return tensor;
}

Classification recipe_of(std::string_view text) {
  auto recipe = parse(text);
  EXPECT_TRUE(recipe) << text;
  return recipe ? *recipe : Classification{};
}

std::vector<double> scores(std::string_view text, const Tensor& output) {
  auto values = scores_of(recipe_of(text), output);
  EXPECT_TRUE(values);
  return values ? *values : std::vector<double>{};
}

MATCHER_P(Near, limit, "") { return std::fabs(std::get<0>(arg) - std::get<1>(arg)) <= limit; }

TEST(Activations, EqualSciPys) {
  EXPECT_THAT(scores("softmax", logits()),
              Pointwise(Near(1e-9), {0.00417290865, 0.000126010922, 0.000725142791, 0.619314555,
                                     0.375633266, 2.81168373e-05}));
  EXPECT_THAT(scores("sigmoid", logits()),
              Pointwise(Near(1e-9), {0.880797078, 0.182425524, 0.562176501, 0.999088949,
                                     0.998498818, 0.0474258732}));
  EXPECT_THAT(scores("log_softmax", logits()),
              Pointwise(Near(1e-7), {-5.47914197, -8.97914197, -7.22914197, -0.479141969,
                                     -0.979141969, -10.479142}));
}

TEST(Activations, LargeLogitsDoNotOverflow) {
  const Tensor large = make_tensor("x", {3}, {1200.0f, 1199.0f, -5000.0f});
  EXPECT_THAT(scores("softmax", large),
              Pointwise(Near(1e-12), {0.7310585786300049, 0.2689414213699951, 0.0}));
  EXPECT_THAT(
      scores("log_softmax", large),
      Pointwise(Near(1e-9), {-0.31326168751822286, -1.3132616875182228, -6200.313261687518}));
}

TEST(Activations, SharesAndStretchesAreThoseOfTheirNames) {
  const Tensor tensor = make_tensor("x", {4}, {1.0f, 3.0f, 4.0f, 0.0f});
  EXPECT_THAT(scores("share", tensor), ElementsAre(0.125, 0.375, 0.5, 0));
  EXPECT_THAT(scores("of_largest", tensor), ElementsAre(0.25, 0.75, 1, 0));
  EXPECT_THAT(scores("stretch", make_tensor("x", {3}, {1.0f, 2.0f, 5.0f})),
              ElementsAre(0, 0.25, 1));
  EXPECT_THAT(scores("softmax(axis=batch)", tensor), ElementsAre(1, 1, 1, 1));
}

TEST(Readings, EqualNumPys) {
  EXPECT_THAT(scores("dequantize", codes()),
              ElementsAre(-7.8125, -1.0625, 0.5, 5.8125, 8.125, 2.0625));
  EXPECT_THAT(scores("dequantize | softmax", codes()),
              Pointwise(Near(1e-9), {1.08711803e-07, 9.28462683e-05, 0.000442944773, 0.0898543312,
                                     0.907496598, 0.00211317133}));
  EXPECT_THAT(scores("codes", codes()), ElementsAre(-128, -20, 5, 90, 127, 30));
  EXPECT_THAT(scores("dequantize(sign=flipped)", codes()),
              ElementsAre(8.1875, 14.9375, 0.5, 5.8125, 8.125, 2.0625));
  EXPECT_THAT(scores("codes(sign=flipped)", codes()), ElementsAre(128, 236, 5, 90, 127, 30));
  EXPECT_THAT(scores("dequantize(zero_point=ignored)", codes()),
              ElementsAre(-8, -1.25, 0.3125, 5.625, 7.9375, 1.875));
  EXPECT_THAT(
      scores("codes(of=255)", codes()),
      Pointwise(Near(1e-7), {0.0, 0.423529412, 0.521568627, 0.854901961, 1.0, 0.619607843}));
}

TEST(Readings, FloatOutputsHaveNoCodes) {
  const std::vector<double> values(kLogits.begin(), kLogits.end());
  for (const char* reading : {"codes", "dequantize", "dequantize(zero_point=ignored)"})
    EXPECT_EQ(scores(reading, logits()), values) << reading;
}

trace::Answer answer_of(const Classification& recipe, const Tensor& output) {
  const TensorView view = output;
  auto answer = run(recipe, std::span(&view, 1));
  EXPECT_TRUE(answer) << answer.error().what;
  return answer ? *answer : trace::Answer{};
}

TEST(RunRecipe, ReportsTheBestClassesWithTheirLabels) {
  Classification recipe = recipe_of("softmax | topk(3) | threshold(0.01) | labels(l.txt)");
  recipe.labels->table.names = {"a", "b", "c", "d", "e", "f"};
  const trace::Answer answer = answer_of(recipe, logits());
  EXPECT_THAT(*answer.labels, ElementsAre("d", "e"));
  EXPECT_THAT(*answer.classes, ElementsAre(3, 4));
  EXPECT_THAT(*answer.scores,
              ElementsAre(FloatNear(0.619314555f, 1e-7f), FloatNear(0.375633266f, 1e-7f)));
}

TEST(RunRecipe, EmptyAnswersAreAnswers) {
  const trace::Answer answer = answer_of(recipe_of("softmax | threshold(0.9)"), logits());
  ASSERT_TRUE(answer.classes);
  EXPECT_TRUE(answer.classes->empty());
  EXPECT_TRUE(answer.scores->empty());
  EXPECT_FALSE(answer.labels);
}

TEST(RunRecipe, OrdersSkipsAndScalesAsTold) {
  EXPECT_THAT(*answer_of(recipe_of("sort(ascending) | topk(2)"), logits()).classes,
              ElementsAre(5, 1));
  EXPECT_THAT(*answer_of(recipe_of("sort(none) | topk(4) | threshold(1)"), logits()).classes,
              ElementsAre(0, 3));
  EXPECT_THAT(*answer_of(recipe_of("skip(1) | topk(1)"), logits()).classes, ElementsAre(2));
  EXPECT_THAT(*answer_of(recipe_of("softmax | topk(1) | percent"), logits()).scores,
              ElementsAre(FloatNear(61.9314555f, 1e-5f)));
}

TEST(RunRecipe, EqualScoresStandByClassAndNanLast) {
  const Tensor tensor = make_tensor("x", {5}, {1.0f, NAN, 3.0f, 3.0f, 2.0f});
  EXPECT_THAT(*answer_of(recipe_of("topk(5)"), tensor).classes, ElementsAre(2, 3, 4, 0, 1));
}

TEST(RunRecipe, RefusesWhatItCannotRead) {
  const Tensor picture = make_tensor("x", {2, 3}, {1, 2, 3, 4, 5, 6});
  const TensorView view = picture;
  EXPECT_THAT(run(recipe_of("topk(1)"), std::span(&view, 1)).error().what,
              HasSubstr("no output holds one score for each class"));
  EXPECT_THAT(run(recipe_of("output(3) | topk(1)"), std::span(&view, 1)).error().what,
              HasSubstr("the model has 1 outputs"));
  Classification recipe = recipe_of("topk(1) | labels(l.txt)");
  recipe.labels->table.names = {"a", "b"};
  const Tensor six = logits();
  const TensorView other = six;
  EXPECT_THAT(run(recipe, std::span(&other, 1)).error().what,
              HasSubstr("class 3 has no line in 'l.txt', which has 2"));
}

}  // namespace
}  // namespace edgeprobe::postprocess
