// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "diagnose/sensor/diagnosis.h"
#include "preprocess/recipe/recipe.h"

// The values that an app would compute are written out here, without our front end.
namespace edgeprobe::diagnose::sensor {
namespace {

using ::testing::HasSubstr;
using State = InputDiagnosis::Status;

constexpr int kSteps = 90, kWindow = 60;

double reading(int window, int step, int axis) {
  const double t = step * 0.17 + window * 3.1;
  return axis == 0   ? std::sin(t) + 0.3 * std::cos(2.3 * t) + 0.1 * std::sin(11.7 * t)
         : axis == 1 ? 0.7 * std::cos(1.7 * t) - 0.2 + 0.2 * std::sin(9.1 * t)
                     : 1 + 0.4 * std::sin(3.3 * t + 1) + 0.1 * std::cos(13.3 * t);
}

/// The finding for windows with the values `value(window, step, axis)` and that recipe.
/// `code_scale`: the windows are int8 codes; the model's codes have that scale and the zero point
/// 5.
template <class Value>
InputDiagnosis diagnosed(const char* recipe, Value value, int windows = 3, float code_scale = 0) {
  std::vector<readings::Series> series;
  std::vector<Tensor> inputs;
  series.reserve(static_cast<std::size_t>(windows));
  for (int k = 0; k < windows; ++k) {
    readings::Series one{{}, 3, 0};
    for (int t = 0; t < kSteps; ++t)
      for (int a = 0; a < 3; ++a) one.values.push_back(static_cast<float>(reading(k, t, a)));
    series.push_back(std::move(one));
    std::vector<float> input;
    for (int t = 0; t < kWindow; ++t)
      for (int a = 0; a < 3; ++a) input.push_back(static_cast<float>(value(k, t, a)));
    if (code_scale == 0) {
      inputs.push_back(make_tensor("input", {1, kWindow, 3}, input));
      continue;
    }
    Tensor codes{{"input", DType::kInt8, {1, kWindow, 3}, {{code_scale}, {5}, 0}}, {}};
    for (const float code : input)
      codes.bytes.push_back(static_cast<std::byte>(static_cast<std::int8_t>(code)));
    inputs.push_back(std::move(codes));
  }
  std::vector<Observation> observations;
  for (std::size_t k = 0; k < inputs.size(); ++k) observations.push_back({&series[k], inputs[k]});
  const auto reference = preprocess::parse_recipe(recipe);
  const auto found = diagnose(observations, *preprocess::readings_of(*reference), 0.01, {});
  EXPECT_TRUE(found) << found.error().what;
  return found ? *found : InputDiagnosis{};
}

constexpr const char* kRecipe =
    "axes(x, y, z) | scale(9.80665) | window(60) | normalize(mean=[0, 0, 9], std=[2, 3, 4])";

double normalised(double metres, int axis) {
  return axis == 0 ? metres / 2 : axis == 1 ? metres / 3 : (metres - 9) / 4;
}

TEST(SensorSearch, TheReferencesOwnInputIsEqual) {
  const auto found = diagnosed(
      kRecipe, [](int k, int t, int a) { return normalised(reading(k, t, a) * 9.80665, a); });
  EXPECT_EQ(found.status, State::kEqual);
}

TEST(SensorSearch, AUnitIsNamedWithItsFactor) {
  const auto found =
      diagnosed(kRecipe, [](int k, int t, int a) { return normalised(reading(k, t, a), a); });
  ASSERT_EQ(found.status, State::kFound);
  ASSERT_EQ(found.faults.size(), 1u);
  EXPECT_EQ(found.faults[0].kind, CauseKind::kUnit);
  EXPECT_THAT(found.faults[0].detail, HasSubstr("the app's factor to the unit is 1; "));
  EXPECT_THAT(found.faults[0].detail, HasSubstr("(g for m/s²)"));
  EXPECT_EQ(found.faults[0].fix_step, "scale(9.80665)");
}

TEST(SensorSearch, AxesAndPlaceAreFoundTogether) {
  constexpr int kFrom[] = {2, 0, 1};
  const auto found = diagnosed(kRecipe, [&](int k, int t, int a) {
    const double metres = reading(k, t + 5, kFrom[a]) * 9.80665;
    return normalised(a == 1 ? -metres : metres, a);
  });
  ASSERT_EQ(found.status, State::kFound);
  ASSERT_EQ(found.faults.size(), 2u);
  const std::string all = found.faults[0].detail + found.faults[1].detail;
  EXPECT_THAT(all, HasSubstr("the app's axes are z, -x, y; the reference's are x, y, z"));
  EXPECT_THAT(all, HasSubstr("the app's window is 60, offset=5; the reference's is 60"));
}

TEST(SensorSearch, WhatNoFrontEndDoesIsNotNamed) {
  const auto found = diagnosed(kRecipe, [](int k, int t, int a) {
    const double smooth =
        (reading(k, t, a) + reading(k, t + 1, a) + reading(k, t + 2, a)) / 3 * 9.80665;
    return normalised(smooth, a);
  });
  EXPECT_EQ(found.status, State::kPartial);
  EXPECT_TRUE(found.faults.empty());
}

TEST(SensorSearch, AMeasuredNormalisationHoldsForAllWindows) {
  const auto found = diagnosed(kRecipe, [](int k, int t, int a) {
    return (reading(k, t, a) * 9.80665 - 0.7 * a) / (1.3 + a);
  });
  ASSERT_EQ(found.status, State::kFound);
  ASSERT_EQ(found.faults.size(), 1u);
  EXPECT_EQ(found.faults[0].kind, CauseKind::kFeatureNormalization);
}

TEST(SensorSearch, ANumberOfASingleWindowIsToldAndNotConfirmed) {
  const auto app = [](int k, int t, int a) {
    return (reading(k, t, a) * 9.80665 - 0.7 * a) / (1.3 + a);
  };
  const auto found = diagnosed(kRecipe, app, 1);
  EXPECT_EQ(found.status, State::kPartial);
  EXPECT_THAT(found.reason, HasSubstr("one window cannot distinguish"));
  ASSERT_EQ(found.faults.size(), 1u);
  EXPECT_EQ(found.faults[0].kind, CauseKind::kFeatureNormalization);
  EXPECT_EQ(diagnosed(kRecipe, app, 2).status, State::kFound);
}

constexpr const char* kCoded =
    "axes(x, y, z) | scale(9.80665) | window(60) | normalize(mean=[0, 0, 9], std=[2, 3, 4]) | "
    "quantize(model)";

TEST(SensorSearch, AUnitBesideAnotherScaleOfTheCodesIsNamed) {
  // g instead of m/s², and codes of 1/64 instead of 1/20.
  const auto found = diagnosed(
      kCoded,
      [](int k, int t, int a) {
        return std::clamp(std::round(normalised(reading(k, t, a), a) * 64) + 5, -128.0, 127.0);
      },
      1, 0.05f);
  ASSERT_EQ(found.status, State::kFound);
  ASSERT_EQ(found.faults.size(), 2u);
  const std::string all = found.faults[0].detail + found.faults[1].detail;
  EXPECT_THAT(all, HasSubstr("the app's factor to the unit is 1; the reference's is 9.80665"));
  EXPECT_THAT(all, HasSubstr("the app's quantisation is scale=0.015625"));
}

TEST(SensorSearch, CodesThatWrapRoundKeepTheirAxes) {
  constexpr int kFrom[] = {1, 2, 0};
  const auto found = diagnosed(
      kCoded,
      [&](int k, int t, int a) {
        const double code =
            std::round(normalised(reading(k, t, kFrom[a]) * 9.80665, a) / 0.03f) + 5;
        return code - std::floor((code + 128) / 256) * 256;
      },
      1, 0.03f);
  ASSERT_EQ(found.status, State::kFound);
  ASSERT_EQ(found.faults.size(), 2u);
  const std::string all = found.faults[0].detail + found.faults[1].detail;
  EXPECT_THAT(all, HasSubstr("the app's axes are y, z, x"));
  EXPECT_THAT(all, HasSubstr("round=wrap"));
}

TEST(SensorSearch, FewCodesConfirmNoOtherNames) {
  // 1/4 of the reference's codes: a few values, rounded to zero. No list has that scale with these
  // numbers, and any near match is not the app's.
  const auto found = diagnosed(
      kCoded,
      [](int k, int t, int a) {
        return std::trunc((reading(k, t, a) * 9.80665 - 0.31 * a) / (9 + a) * 1.7 + 5);
      },
      1, 0.05f);
  EXPECT_NE(found.status, State::kFound);
}

}  // namespace
}  // namespace edgeprobe::diagnose::sensor
