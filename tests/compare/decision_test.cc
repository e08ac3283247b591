// SPDX-License-Identifier: Apache-2.0
#include "compare/decision.h"

#include <gtest/gtest.h>

namespace edgeprobe::compare {
namespace {

// Two traces with this number of frames, and one output that differs by `distance` in the joined
// frames.
Agreement agreement_of(std::size_t joined, std::size_t recorded, double distance) {
  Agreement agreement;
  agreement.joined_by = JoinedBy::kSample;
  agreement.frames_reference = agreement.frames_target = recorded;
  agreement.frames.resize(joined);
  agreement.layers.resize(1);
  agreement.layers[0].stage = trace::Stage::kModelOutput;
  agreement.layers[0].frames = joined;
  agreement.layers[0].distances.relative_l2 = distance;
  agreement.output_distance = distance;
  return agreement;
}

TEST(Decision, RestsOnTheDistanceAndItsFloor) {
  const Decision near = decision_of(agreement_of(8, 8, 0.01), 0.02);
  EXPECT_EQ(near.outcome, Outcome::kAgrees);
  EXPECT_EQ(near.reason, Reason::kDistance);
  EXPECT_EQ(near.distance, 0.01);
  EXPECT_TRUE(near.is_of_outputs);
  EXPECT_EQ(decision_of(agreement_of(8, 8, 0.03), 0.02).outcome, Outcome::kDiffers);
  EXPECT_EQ(decision_of(agreement_of(8, 8, 0.01), std::nullopt).floor, output_floor(false, 8));
}

TEST(Decision, AgreesNotOverFarValuesOfEqualInputs) {
  Agreement agreement = agreement_of(8, 8, 0.01);
  agreement.layers[0].name = "scores";
  agreement.layers[0].moments.max_r = 1;
  agreement.layers[0].moments.max_abs_d = 0.9;
  // The inputs are unknown.
  EXPECT_EQ(decision_of(agreement, std::nullopt).outcome, Outcome::kAgrees);
  LayerAgreement fed;
  fed.stage = trace::Stage::kModelInput;
  agreement.layers.push_back(fed);
  EXPECT_EQ(decision_of(agreement, std::nullopt).reason, Reason::kFarValues);
  EXPECT_EQ(decision_of(agreement, std::nullopt).outcome, Outcome::kUndecided);
  EXPECT_EQ(decision_of(agreement, 0.02).outcome, Outcome::kAgrees);  // A floor set by the user.
  agreement.layers[1].moments.max_abs_d = 0.1;
  EXPECT_EQ(decision_of(agreement, std::nullopt).outcome, Outcome::kAgrees);
}

TEST(Decision, FallsBackToTheLargestDistanceOfATensor) {
  Agreement agreement = agreement_of(8, 8, 0.01);
  agreement.output_distance.reset();
  agreement.layers.resize(2, agreement.layers[0]);
  agreement.layers[1].distances.relative_l2 = 0.5;
  const Decision decision = decision_of(agreement, 0.02);
  EXPECT_EQ(decision.distance, 0.5);
  EXPECT_FALSE(decision.is_of_outputs);
  for (LayerAgreement& layer : agreement.layers) layer.distances.relative_l2.reset();
  EXPECT_EQ(decision_of(agreement, 0.02).outcome, Outcome::kDiffers);
}

TEST(Decision, OfFewFramesShowsADifferenceAndNoAgreement) {
  EXPECT_EQ(decision_of(agreement_of(3, 8, 0.01), 0.02).outcome, Outcome::kUndecided);
  EXPECT_EQ(decision_of(agreement_of(3, 8, 0.03), 0.02).outcome, Outcome::kDiffers);
  Agreement equal = agreement_of(3, 8, 0);
  equal.exact = true;
  EXPECT_EQ(decision_of(equal, 0.02).outcome, Outcome::kUndecided);
}

TEST(Decision, CountsFramesThatLackATensor) {
  Agreement agreement = agreement_of(8, 8, 0);
  agreement.exact = true;
  EXPECT_EQ(decision_of(agreement, 0.02).outcome, Outcome::kAgrees);
  agreement.layers[0].frames = 5;
  const Decision decision = decision_of(agreement, 0.02);
  EXPECT_EQ(decision.outcome, Outcome::kUndecided);
  EXPECT_EQ(decision.reason, Reason::kEqual);
  EXPECT_EQ(decision.frames_without_tensor, 3u);
}

TEST(Decision, NamesASwapAndValuesThatAreNotFiniteFirst) {
  Agreement agreement = agreement_of(8, 8, 0.01);
  agreement.layers[0].moments.overflow = 1;
  EXPECT_EQ(decision_of(agreement, 0.02).reason, Reason::kNotFinite);
  agreement.swapped = {{"a", "b", "b", "a", false}, {"c", "d", "d", "c", true}};
  const Decision swapped = decision_of(agreement, 0.02);
  EXPECT_EQ(swapped.reason, Reason::kSwapped);
  EXPECT_EQ(swapped.swapped, 1u);
  EXPECT_EQ(swapped.outcome, Outcome::kDiffers);
}

TEST(Decision, IsOpenWhereNothingWasCompared) {
  Agreement agreement = agreement_of(8, 8, 0.01);
  agreement.layers.clear();
  EXPECT_EQ(decision_of(agreement, 0.02).reason, Reason::kNothingPaired);
  agreement.joined_by = JoinedBy::kNothing;
  EXPECT_EQ(decision_of(agreement, 0.02).reason, Reason::kNothingJoined);
  agreement.interrupted = true;
  EXPECT_EQ(decision_of(agreement, 0.02).reason, Reason::kInterrupted);
  EXPECT_EQ(decision_of(agreement, 0.02).outcome, Outcome::kUndecided);
}

TEST(Decision, OfRecordedAnswersGoesBeforeTensors) {
  Agreement agreement = agreement_of(8, 8, 0);
  agreement.exact = true;
  agreement.answers.emplace();
  agreement.answers->compared = 8;
  agreement.answers->mean = 0.5;
  agreement.answers->floor = 0.1;
  EXPECT_EQ(decision_of(agreement, 0.02).reason, Reason::kAnswers);
  EXPECT_EQ(decision_of(agreement, 0.02).outcome, Outcome::kDiffers);
  agreement.answers->mean = 0.95;
  EXPECT_EQ(decision_of(agreement, 0.02).reason, Reason::kEqual);
  agreement.layers.clear();
  EXPECT_EQ(decision_of(agreement, 0.02).reason, Reason::kAnswers);
  EXPECT_EQ(decision_of(agreement, 0.02).outcome, Outcome::kAgrees);
}

}  // namespace
}  // namespace edgeprobe::compare
