// SPDX-License-Identifier: Apache-2.0
// Texts of embeddings and anomaly scores. Expected numbers were printed by NumPy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "postprocess/anomaly/score.h"
#include "postprocess/embedding/vector.h"

namespace edgeprobe::postprocess {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

Tensor ids_of(std::vector<std::int64_t> values) {
  Tensor tensor{{"mask", DType::kInt64, {1, static_cast<std::int64_t>(values.size())}, {}}, {}};
  const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
  tensor.bytes.insert(tensor.bytes.end(), bytes, bytes + values.size() * sizeof(std::int64_t));
  return tensor;
}

/// Answer on three rows of two numbers, the last of them padding.
trace::Answer embedded(std::string_view text) {
  const Tensor rows = make_tensor("rows", {1, 3, 2}, {1, 2, 3, -6, 100, 100}),
               mask = ids_of({1, 1, 0});
  const TensorView in = mask, out = rows;
  const auto recipe = embedding::parse(text);
  EXPECT_TRUE(recipe) << recipe.error().what;
  auto answer = embedding::run(*recipe, std::span(&in, 1), std::span(&out, 1));
  EXPECT_TRUE(answer) << answer.error().what;
  return *answer;
}

trace::Answer scored(std::string_view text) {
  const Tensor given = make_tensor("x", {3, 2}, {0, 0, 1, 1, 2, 2}),
               made = make_tensor("y", {3, 2}, {1, 0, 1, 4, 2, 2});
  const TensorView in = given, out = made;
  const auto recipe = anomaly::parse(text);
  EXPECT_TRUE(recipe) << recipe.error().what;
  auto answer = anomaly::run(*recipe, std::span(&in, 1), std::span(&out, 1));
  EXPECT_TRUE(answer) << answer.error().what;
  return *answer;
}

TEST(Embedding, RowsArePooledByTheMask) {
  EXPECT_THAT(*embedded("pool(mean, mask=0) | normalize(none)").vector, ElementsAre(2, -2));
  EXPECT_THAT(*embedded("pool(mean, mask=0, rows=all)").vector,
              ElementsAre(FloatNear(34.6666679f, 1e-5f), 32));
  EXPECT_THAT(*embedded("pool(last, mask=0)").vector, ElementsAre(3, -6));
  EXPECT_THAT(*embedded("pool(last)").vector, ElementsAre(100, 100));
  EXPECT_THAT(*embedded("pool(max, mask=0)").vector, ElementsAre(3, 2));
  EXPECT_THAT(*embedded("pool(sum, rows=inner)").vector, ElementsAre(3, -6));
  EXPECT_THAT(*embedded("pool(none) | cut(3)").vector, ElementsAre(1, 2, 3));
}

TEST(Embedding, TheNormStandsWhereTheTextHasIt) {
  EXPECT_THAT(*embedded("pool(last, mask=0) | cut(1) | normalize(l2)").vector, ElementsAre(1));
  EXPECT_THAT(*embedded("pool(last, mask=0) | normalize(l2) | cut(1)").vector,
              ElementsAre(FloatNear(0.4472136f, 1e-6f)));
  EXPECT_THAT(*embedded("pool(last, mask=0) | normalize(l1)").vector,
              ElementsAre(FloatNear(1 / 3.0f, 1e-6f), FloatNear(-2 / 3.0f, 1e-6f)));
  EXPECT_THAT(*embedded("pool(none) | cut(4) | normalize(min_max)").vector,
              ElementsAre(FloatNear(7 / 9.0f, 1e-6f), FloatNear(8 / 9.0f, 1e-6f), 1, 0));
  EXPECT_THAT(*embedded("pool(last, mask=0) | normalize(max) | quantize(127, as=codes)").vector,
              ElementsAre(64, -127));
}

TEST(Embedding, WithoutARealRowNothingIsDividedByZero) {
  const Tensor rows = make_tensor("rows", {1, 2, 2}, {1, 2, 3, 4}), mask = ids_of({0, 0});
  const TensorView in = mask, out = rows;
  const auto recipe = embedding::parse("pool(mean, mask=0) | normalize(l2)");
  const auto answer = embedding::run(*recipe, std::span(&in, 1), std::span(&out, 1));
  ASSERT_TRUE(answer);
  EXPECT_THAT(*answer->vector, ElementsAre(0, 0));
}

TEST(Embedding, WhatDoesNotFitIsSaid) {
  const Tensor rows = make_tensor("rows", {1, 3, 2}, {1, 2, 3, 4, 5, 6}), mask = ids_of({1, 1});
  const TensorView in = mask, out = rows;
  const auto said = [&](std::string_view text) {
    const auto recipe = embedding::parse(text);
    if (!recipe) return recipe.error().what;
    const auto answer = embedding::run(*recipe, std::span(&in, 1), std::span(&out, 1));
    return answer ? std::string() : answer.error().what;
  };
  EXPECT_THAT(said("pool(mean, mask=0)"), HasSubstr("2 values, the output 3 rows"));
  EXPECT_THAT(said("pool(mean, mask=4)"), HasSubstr("the model has 1 inputs"));
  EXPECT_THAT(said("output(3) | pool(mean)"), HasSubstr("the model has 1 outputs"));
  EXPECT_THAT(said("pool(men)"), HasSubstr("did you mean \"mean\""));
  EXPECT_THAT(said("normalize(l2) | pool(mean)"), HasSubstr("must come before"));
  EXPECT_THAT(said("pool(mean) | pool(mean)"), HasSubstr("appears twice"));
  EXPECT_THAT(said("pool(mean) | quantize(64)"), HasSubstr("127"));
}

TEST(Embedding, ItsTextIsReadBackAsItself) {
  for (const char* const text :
       {"pool(mean, mask=1)", "codes | pool(sum, rows=inner) | cut(7) | normalize(max)",
        "output(2) | dequantize | normalize(l1) | cut(9) | quantize(127, as=codes)"}) {
    ASSERT_TRUE(embedding::is_embedding(text));
    const auto recipe = embedding::parse(text);
    ASSERT_TRUE(recipe) << recipe.error().what;
    EXPECT_EQ(*embedding::parse(embedding::to_text(*recipe)), *recipe);
  }
  EXPECT_FALSE(embedding::is_embedding("dequantize | softmax | topk(5)"));
}

TEST(Anomaly, WindowsAreMeasuredAndJoined) {
  // By window: squares 1 0, 0 9, 0 0.
  EXPECT_FLOAT_EQ(*scored("score(mse)").score, 5 / 3.0f);
  EXPECT_FLOAT_EQ(*scored("score(sse, windows=max)").score, 9);
  EXPECT_FLOAT_EQ(*scored("score(mae, windows=median)").score, 0.5f);
  EXPECT_FLOAT_EQ(*scored("score(l2, windows=sum)").score, 4);
  EXPECT_FLOAT_EQ(*scored("score(rmse, windows=first)").score, 0.70710678f);
  EXPECT_FLOAT_EQ(*scored("score(max_square, windows=last)").score, 0);
  EXPECT_FALSE(scored("score(mse)").alarm);
}

TEST(Anomaly, TheAlarmIsFromTheThresholdOn) {
  EXPECT_TRUE(*scored("score(sse, windows=max) | threshold(9)").alarm);
  EXPECT_FALSE(*scored("score(sse, windows=max) | threshold(9.5)").alarm);
  EXPECT_TRUE(*scored("score(sse, windows=max) | threshold(9.5, alarm=below)").alarm);
}

TEST(Anomaly, WhatDoesNotFitIsSaid) {
  const Tensor given = make_tensor("x", {3}, {0, 0, 1}), made = make_tensor("y", {1, 2}, {1, 0});
  const TensorView in = given, out = made;
  const auto said = [&](std::string_view text) {
    const auto recipe = anomaly::parse(text);
    if (!recipe) return recipe.error().what;
    const auto answer = anomaly::run(*recipe, std::span(&in, 1), std::span(&out, 1));
    return answer ? std::string() : answer.error().what;
  };
  EXPECT_THAT(said("score(mse)"), HasSubstr("no input has as many numbers as the output, 2"));
  EXPECT_THAT(said("score(mse, input=0)"), HasSubstr("input 0 has 3 numbers, output 0 has 2"));
  EXPECT_THAT(said("score(output)"), HasSubstr("2 numbers a window"));
  EXPECT_THAT(said("threshold(2)"), HasSubstr("score(…)"));
  EXPECT_THAT(said("score(mse) | threshold(warm)"), HasSubstr("column 24"));
}

TEST(Anomaly, ItsTextIsReadBackAsItself) {
  for (const char* const text :
       {"score(mse)", "output(1) | dequantize | score(l2, windows=median, input=2)",
        "codes | score(output, windows=last) | threshold(0.1, alarm=below)"}) {
    ASSERT_TRUE(anomaly::is_anomaly(text));
    const auto recipe = anomaly::parse(text);
    ASSERT_TRUE(recipe) << recipe.error().what;
    EXPECT_EQ(*anomaly::parse(anomaly::to_text(*recipe)), *recipe);
  }
}

}  // namespace
}  // namespace edgeprobe::postprocess
