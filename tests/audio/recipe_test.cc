// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audio/front_end.h"
#include "audio/synthesis.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  const auto recipe = parse_recipe(text);
  return recipe ? "" : recipe.error().what;
}

audio::Clip clip_of(std::vector<float> samples, int channels = 1, double rate = 16000) {
  return {std::move(samples), channels, rate, true};
}

std::vector<float> values(const std::string& text, const audio::Clip& clip,
                          DType dtype = DType::kFloat32) {
  const auto recipe = parse_recipe(text);
  EXPECT_TRUE(recipe) << recipe.error().what;
  if (!recipe) return {};
  const auto tensor = apply(*recipe, clip, {"input", dtype, {-1}, {{0.5f}, {1}, 0}});
  EXPECT_TRUE(tensor) << tensor.error().what;
  if (!tensor) return {};
  return *stored_as_float(*tensor);
}

TEST(SoundRecipe, EveryNamedFrontEndIsItsSteps) {
  for (const audio::NamedFrontEnd& named : audio::named_front_ends()) {
    const auto recipe = parse_recipe(named.name);
    ASSERT_TRUE(recipe) << recipe.error().what;
    const auto again = parse_recipe(to_text(*recipe));
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(*sound_of(*again), named.front_end) << named.name;
    for (const Spelled& step : spelled(*recipe)) EXPECT_FALSE(step.meaning.empty()) << step.text;
  }
}

TEST(SoundRecipe, StepsBehindANameChangeIt) {
  const auto recipe = parse_recipe("mlperf_tiny_kws | frame(hop=160) | frames(98)");
  ASSERT_TRUE(recipe) << recipe.error().what;
  EXPECT_EQ(sound_of(*recipe)->hop, 160);
  EXPECT_EQ(sound_of(*recipe)->win, 480);
}

TEST(SoundRecipe, StepsOfPicturesDoNotMixWithThoseOfSound) {
  EXPECT_THAT(refusal("mono | resize(64x64, bilinear)"),
              HasSubstr("mono makes this a recipe of sound, which steps of pictures do not mix"));
  EXPECT_THAT(refusal("scale(1/32768) | mono"), HasSubstr("column 18: mono runs before scale"));
  EXPECT_THAT(refusal("mono | yamnet"), HasSubstr("put it first"));
  EXPECT_THAT(refusal("mono | log(ln)"), HasSubstr("log works on frames"));
  EXPECT_THAT(refusal("mono | frame(win=400, hop=160)"), HasSubstr("fft(N) is missing"));
  EXPECT_THAT(refusal("whisper | resample(8000)"), HasSubstr("half the rate"));
  EXPECT_THAT(refusal("mono | fft(401)"), HasSubstr("fft works on frames"));
  EXPECT_THAT(refusal("mono | resample(16000, soxx)"), HasSubstr("did you mean \"soxr\""));
}

TEST(SoundRecipe, ChannelsAreMixedAsItSays) {
  const audio::Clip stereo = clip_of({2, 4, 6, 8}, 2);
  EXPECT_THAT(values("mono(mean) | scale(1)", stereo), ElementsAre(3, 7));
  EXPECT_THAT(values("mono(right) | scale(1)", stereo), ElementsAre(4, 8));
  EXPECT_THAT(values("mono(sum) | scale(1)", stereo), ElementsAre(6, 14));
  EXPECT_THAT(values("mono(interleaved) | scale(1)", stereo), ElementsAre(2, 4, 6, 8));
}

TEST(SoundRecipe, PaddingAndScales) {
  const audio::Clip clip = clip_of({-8, 4});
  EXPECT_THAT(values("mono | pad(4) | scale(max)", clip), ElementsAre(-2, 1, 0, 0));
  EXPECT_THAT(values("mono | pad(4, start) | scale(absmax)", clip), ElementsAre(0, 0, -1, 0.5));
  EXPECT_THAT(values("mono | pad(1) | scale(1/2)", clip), ElementsAre(-4));
  // 4 / 0.5 + 1, and -8 / 0.5 + 1.
  EXPECT_THAT(values("mono | scale(1) | quantize(model)", clip, DType::kInt8), ElementsAre(-15, 9));
}

TEST(SoundRecipe, AModelOfAnotherSizeIsToldWhatToChange) {
  const auto recipe = parse_recipe("yamnet");
  ASSERT_TRUE(recipe);
  const auto tensor =
      apply(*recipe, clip_of({1, 2, 3}), {"input", DType::kFloat32, {1, 96, 64}, {}});
  ASSERT_FALSE(tensor);
  EXPECT_THAT(tensor.error().what, HasSubstr("makes 15600 x 1 values"));
}

}  // namespace
}  // namespace edgeprobe::preprocess
