// SPDX-License-Identifier: Apache-2.0
// Words and numbers for what a target's values show: ranges, gains, curves.
#include "diagnose/preprocessing/search/naming.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "diagnose/preprocessing/search/search.h"
#include "diagnose/preprocessing/search/tone_step.h"
#include "support.h"

namespace edgeprobe::diagnose::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kSmall = "resize(16x16, bilinear) | ";

/// The names for an app with this range, from lines that are off by `bias` gray steps.
Named range_named(const std::string& app, double bias = 0) {
  const Reference r = reference(kSmall + "scale(-1..1)", floats(16));
  Recorded made = recorded(picture(24, 40), kSmall + app, r);
  const auto ranges = known_ranges(r);
  const Hypothesis own = reference_hypothesis(r, ranges.front());
  const auto pixels_of_it = pixels(made.frame, r, own);
  // The lines of the app's recipe on these pixels.
  const Reference of_app = reference(kSmall + app, floats(16));
  Measured measured{of_app.gain, of_app.offset, {}, {}};
  for (std::size_t c = 0; c < 3; ++c) {
    measured.offset[c] += bias * measured.gain[c];
    double mean = 0, square = 0;
    for (std::size_t i = c; i < pixels_of_it->values.size(); i += 3) {
      mean += pixels_of_it->values[i] / 256;
      square += pixels_of_it->values[i] * pixels_of_it->values[i] / 256;
    }
    measured.mean.push_back(mean);
    measured.square.push_back(square);
  }
  return name_range(measured, ranges, made.frame, r, own, *pixels_of_it);
}

TEST(Naming, OfRangesFindsTheUsualName) {
  for (const auto& [app, name] :
       {std::pair("scale(0..1)", "0..1"), std::pair("scale(-1..1)", "-1..1"),
        std::pair("normalize(mean=127, std=128)", "(x - 127)/128")}) {
    const Named found = range_named(app);
    EXPECT_TRUE(found.named) << app;
    EXPECT_EQ(found.range.name, name);
    EXPECT_LT(found.residual, 0.01) << app;
  }
}

TEST(Naming, AStepOfADecodersBiasKeepsTheUsualName) {
  const Named found = range_named("scale(0..1)", 1);
  EXPECT_TRUE(found.named);
  EXPECT_EQ(found.range.name, "0..1");
}

TEST(Naming, NumbersThatAreNobodysStayNumbers) {
  const Named found = range_named("normalize(mean=33, std=71)");
  EXPECT_FALSE(found.named);
  EXPECT_NEAR(found.range.gain[0], 1 / 71.0, 1e-6);
}

preprocess::Tone linear(std::vector<double> gain, std::vector<double> offset,
                        preprocess::Rounding rounding = preprocess::Rounding::kFloat) {
  return {preprocess::Tone::Curve::kLinear, 1, std::move(gain), std::move(offset), rounding};
}

TEST(GainText, IsALineInX) {
  EXPECT_EQ(gain_text(linear({1.4}, {20})), "1.4 x + 20");
  EXPECT_EQ(gain_text(linear({1}, {-12})), "x - 12");
  EXPECT_EQ(gain_text(linear({1, 2, 3}, {0, 0, 0})), "[1, 2, 3] x");
  EXPECT_EQ(gain_text(linear({1.4}, {19.5}, preprocess::Rounding::kUint8)),
            "1.4 x + 20, rounded down");
}

TEST(ToneSteps, HaveNamesThatTellThemApart) {
  std::vector<std::string> names;
  for (const preprocess::Tone& tone : usual_tones()) {
    EXPECT_TRUE(is_usual(tone));
    names.push_back(tone_step_name(preprocess::Step{tone}));
  }
  for (const ToneStep& step : fewer_bits()) names.push_back(tone_step_name(*step.step));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_THAT(names, Contains("the curve x^2.2 (gamma 2.2)"));
  EXPECT_THAT(names, Contains("the curve x^(1/2.2) (gamma 0.45)"));
}

TEST(ToneSteps, OfColourConversionsAreThereOnce) {
  std::set<std::string> steps;
  std::vector<std::string> names;
  for (const preprocess::Recode& recode : usual_recodes()) {
    EXPECT_TRUE(steps.insert(preprocess::to_text(preprocess::Step{recode})).second);
    names.push_back(tone_step_name(preprocess::Step{recode}));
  }
  EXPECT_THAT(names, Contains("U and V exchanged"));
  EXPECT_THAT(names, ::testing::Each(::testing::Not("")));
}

TEST(ToneSteps, AnOddExponentIsNotUsual) {
  EXPECT_FALSE(
      is_usual({preprocess::Tone::Curve::kGamma, 1.37, {}, {}, preprocess::Rounding::kFloat}));
}

}  // namespace
}  // namespace edgeprobe::diagnose::testing
