// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/search/other_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support.h"

namespace edgeprobe::diagnose {
namespace {

using ::testing::ElementsAre;
using Picture = std::vector<float>;

const TensorSpec kRgb{"x", DType::kFloat32, {1, 40, 8, 3}, {}};
constexpr std::size_t kRow = 8 * 3;

/// Six pictures of independent noise.
std::vector<Picture> pictures() {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> value(0, 255);
  std::vector<Picture> made(6, Picture(40 * kRow));
  for (Picture& one : made)
    for (float& v : one) v = value(random);
  return made;
}

double rms_distance(const Picture& a, const Picture& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(double(a[i]) - b[i], 2);
  return std::sqrt(squares / double(a.size()));
}

std::optional<InputEvidence> found(const std::vector<Picture>& fed) {
  std::vector<Bytes> target, reference;
  for (const Picture& one : fed) target.push_back(bytes_of(one));
  for (const Picture& one : pictures()) reference.push_back(bytes_of(one));
  const TwoTraces traces{kRgb, target, reference};
  Study study = traces.study();
  compare_inputs(study, 0, 255);  // The unit is a gray step.
  const auto result = other_frames(study, {});
  EXPECT_TRUE(result) << result.error().what;
  return *result;
}

TEST(OtherFrames, ThePictureOfTheFrameBeforeIsToldWithItsDistance) {
  const auto wanted = pictures();
  auto fed = wanted;
  for (std::size_t i = 1; i < fed.size(); ++i) fed[i] = wanted[i - 1];
  const auto evidence = found(fed);
  ASSERT_TRUE(evidence);
  const InputDiagnosis& diagnosis = *evidence->diagnosis;
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_EQ(diagnosis.faults[0].kind, CauseKind::kOtherFrame);
  EXPECT_EQ(diagnosis.faults[0].detail,
            "in 5 of 6 frames the app feeds the picture of the frame before (frame 1 has that of "
            "frame 0); the reference feeds each frame its own");
  EXPECT_THAT(evidence->not_with, ElementsAre(0));
  EXPECT_EQ(diagnosis.residual, 0) << "the other pictures are there bit for bit";
  double squares = 0;
  for (std::size_t i = 1; i < fed.size(); ++i)
    squares += std::pow(rms_distance(fed[i], wanted[i]), 2) / 5;
  EXPECT_NEAR(diagnosis.residual_before, std::sqrt(squares), 1e-3);
}

TEST(OtherFrames, OneThatIsTakenFromLaterOrFarAwayHasItsDistance) {
  const auto wanted = pictures();
  auto fed = wanted;
  fed[1] = wanted[4];
  EXPECT_EQ(found(fed)->diagnosis->faults.at(0).detail,
            "in 1 of 6 frames the app feeds the picture of 3 frames later (frame 1 has that of "
            "frame 4); the reference feeds each frame its own");
  fed[5] = wanted[4];
  EXPECT_EQ(found(fed)->diagnosis->faults.at(0).detail,
            "in 2 of 6 frames the app feeds the picture of another frame (frame 1 has that of "
            "frame 4); the reference feeds each frame its own");
}

TEST(OtherFrames, TwoPicturesAtOnceAreToldWithTheirSeam) {
  const auto wanted = pictures();
  auto fed = wanted;
  std::copy(wanted[2].begin() + 25 * kRow, wanted[2].end(), fed[3].begin() + 25 * kRow);
  const auto evidence = found(fed);
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->diagnosis->faults.at(0).detail,
            "in 1 of 6 frames the app feeds two pictures at once: frame 3 has from row 25 on the "
            "picture of frame 2 (the frame before); the reference feeds each frame its own");
  EXPECT_THAT(evidence->diagnosis->faults[0].alternatives,
              ElementsAre("a picture that is written while it is read"));
}

TEST(OtherFrames, NoiseAndEqualInputsAreNone) {
  auto fed = pictures();
  EXPECT_FALSE(found(fed));
  for (Picture& one : fed)
    for (std::size_t i = 0; i < one.size(); i += 2) one[i] += 40;
  EXPECT_FALSE(found(fed));
}

TEST(OtherFrames, WhatFewerThanHalfExplainIsNotSaid) {
  const auto wanted = pictures();
  auto fed = wanted;
  fed[1] = wanted[0];
  for (const std::size_t i : {2, 3, 4})
    for (float& v : fed[i]) v += 40;
  EXPECT_FALSE(found(fed));
  for (float& v : fed[2]) v -= 40;
  for (float& v : fed[3]) v -= 40;
  const auto evidence = found(fed);
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->otherwise, "in 1 of 6 frames the model input differs in another way");
}

}  // namespace
}  // namespace edgeprobe::diagnose
