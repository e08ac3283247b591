// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/search/stream_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support.h"

namespace edgeprobe::diagnose {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Window = std::vector<float>;

constexpr std::size_t kRows = 8, kColumns = 2, kHop = 4;
const InputRows kSteps{kRows, kColumns, false, "steps"};

/// The window that begins after this number of rows of a noise stream.
Window window_at(std::size_t row) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float> stream((7 * kHop + kRows) * kColumns);
  for (float& v : stream) v = value(random);
  const auto begin = stream.begin() + std::ptrdiff_t(row * kColumns);
  return {begin, begin + kRows * kColumns};
}

/// Eight windows of the stream, each four rows after the one before.
std::vector<Window> windows() {
  std::vector<Window> made;
  for (std::size_t i = 0; i < 8; ++i) made.push_back(window_at(i * kHop));
  return made;
}

Window column_by_column(const Window& rows) {
  Window made;
  for (std::size_t c = 0; c < kColumns; ++c)
    for (std::size_t t = 0; t < kRows; ++t) made.push_back(rows[t * kColumns + c]);
  return made;
}

TwoTraces traces(const std::vector<Window>& fed, bool columns_first = false) {
  TensorSpec spec{"x", DType::kFloat32, {1, kRows, kColumns}, {}};
  if (columns_first) spec.shape = {1, kColumns, kRows};
  std::vector<Bytes> target, reference;
  for (const Window& one : fed)
    target.push_back(bytes_of(columns_first ? column_by_column(one) : one));
  for (const Window& one : windows())
    reference.push_back(bytes_of(columns_first ? column_by_column(one) : one));
  return {spec, target, reference};
}

std::optional<InputEvidence> found(const TwoTraces& of, const InputRows& how = kSteps) {
  Study study = of.study();
  compare_inputs(study, 0, 255);  // The unit is a gray step.
  const auto result = stream_windows(study, how, {});
  EXPECT_TRUE(result) << result.error().what;
  return *result;
}

TEST(StreamWindows, AStaleWindowIsToldWithItsPlaceAndDistance) {
  auto fed = windows();
  fed[3] = windows()[1];
  const std::string told =
      "in 1 of 8 frames the app feeds a window that is 8 steps (2 windows) before its own; first "
      "at frame 3";
  const auto evidence = found(traces(fed));
  ASSERT_TRUE(evidence);
  const InputDiagnosis& diagnosis = *evidence->diagnosis;
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_EQ(diagnosis.faults[0].kind, CauseKind::kOtherFrame);
  EXPECT_EQ(diagnosis.faults[0].detail, told);
  EXPECT_THAT(diagnosis.faults[0].alternatives, IsEmpty());
  double squares = 0;
  for (std::size_t i = 0; i < kRows * kColumns; ++i)
    squares += std::pow(double(windows()[1][i]) - windows()[3][i], 2);
  EXPECT_NEAR(diagnosis.residual_before, std::sqrt(squares / (kRows * kColumns)), 1e-6);
  EXPECT_THAT(evidence->not_with, ElementsAre(0, 1, 2, 4, 5, 6, 7));
  // The same rows in a tensor stored column by column.
  const auto other = found(traces(fed, true), {kRows, kColumns, true, "steps"});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->diagnosis->faults.at(0).detail, told);
}

TEST(StreamWindows, RightWindowsAndNoiseAreNone) {
  auto fed = windows();
  EXPECT_FALSE(found(traces(fed)));
  for (float& v : fed[2]) v = 0.5F - v;
  EXPECT_FALSE(found(traces(fed)));
}

TEST(StreamWindows, WhatTheStreamDoesNotExplainIsSaidBeside) {
  auto fed = windows();
  fed[3] = windows()[1];
  for (float& v : fed[6]) v = 0.5F - v;
  const auto evidence = found(traces(fed));
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->otherwise,
            "in 1 of 8 frames the model input differs in another way, as at frame 6");
}

TEST(StreamFaults, OfATensorTheRowsAreFoundInItsShape) {
  auto fed = windows();
  fed[3] = windows()[1];
  const auto told = [](const TwoTraces& of) {
    const auto faults = stream_faults(of.study(), "x", "x", {});
    EXPECT_TRUE(faults);
    return faults->size() == 1 ? faults->front().detail : "";
  };
  EXPECT_EQ(told(traces(fed)),
            "in 1 of 8 frames the app feeds a window that is 8 rows (2 windows) before its own; "
            "first at frame 3");
  for (float& v : fed[6]) v = 0.5F - v;
  EXPECT_EQ(told(traces(fed)), "") << "every window has to be explained";
  // A window two rows early is not a window of the stream: only an error in reading the rows
  // explains it.
  fed = windows();
  fed[3] = window_at(3 * kHop - 2);
  EXPECT_EQ(told(traces(fed, true)),
            "in 1 of 8 frames the app feeds a window that is 2 columns before its own; first at "
            "frame 3");
}

TEST(OrByStream, TheStreamSpeaksOnlyWhereNothingElseExplainsTheInput) {
  auto fed = windows();
  fed[3] = windows()[1];
  const TwoTraces of = traces(fed);
  Study study = of.study();
  compare_inputs(study, 0, 255);
  InputDiagnosis known;
  known.status = InputDiagnosis::Status::kFound;
  known.residual_before = 42;
  EXPECT_EQ(or_by_stream(study, known, kSteps, {}).value().diagnosis->residual_before, 42);
  known.status = InputDiagnosis::Status::kEqual;
  EXPECT_EQ(or_by_stream(study, known, kSteps, {}).value().diagnosis->faults.size(), 1U);
}

}  // namespace
}  // namespace edgeprobe::diagnose
