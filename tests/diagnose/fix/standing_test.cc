// SPDX-License-Identifier: Apache-2.0
#include "diagnose/fix/standing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/fix/suspects.h"

namespace edgeprobe::fix {
namespace {

using diagnose::Outcome;
using diagnose::Standing;
using testing::ElementsAre;

Standing accuracy(double score, double reference, double distance) {
  Standing one;
  one.score = score;
  one.reference_score = reference;
  one.of_labels = true;
  one.n = 100;
  one.output_distance = distance;
  one.outcome = Outcome::kDiffers;
  return one;
}

TEST(Standing, RestoresAShareOfWhatWasLost) {
  EXPECT_NEAR(*restored_share(accuracy(0.5, 0.9, 0.4), accuracy(0.82, 0.9, 0.1)), 0.8, 1e-9);
  EXPECT_LT(*restored_share(accuracy(0.5, 0.9, 0.4), accuracy(0.4, 0.9, 0.1)), 0);
}

TEST(Standing, IsToldByTheOutputsWhereNoAnswerWasLost) {
  EXPECT_NEAR(*restored_share(accuracy(0.9, 0.9, 0.4), accuracy(0.9, 0.9, 0.1)), 0.75, 1e-9);
  // A difference of one answer in a hundred is chance.
  EXPECT_NEAR(*restored_share(accuracy(0.89, 0.9, 0.4), accuracy(0.9, 0.9, 0.3)), 0.25, 1e-9);
}

TEST(Standing, HelpsFromAThirdOrSo) {
  EXPECT_TRUE(helps(accuracy(0.5, 0.9, 0.4), accuracy(0.63, 0.9, 0.3)));
  EXPECT_FALSE(helps(accuracy(0.5, 0.9, 0.4), accuracy(0.55, 0.9, 0.3)));
  EXPECT_FALSE(helps(accuracy(0.5, 0.9, 0.4), accuracy(0.45, 0.9, 0.1)));
}

TEST(Standing, OfSharedAnswersHasAnIntervalAndNoLabels) {
  diagnose::Verdict verdict;
  verdict.task.top1_agreement = 0.9;
  verdict.coverage.frames_compared = 50;
  const Standing one = standing_of(verdict);
  EXPECT_FALSE(one.of_labels);
  EXPECT_EQ(one.reference_score, 1);
  ASSERT_TRUE(one.ci95);
  // Wilson's interval of 45 of 50, by statsmodels.
  EXPECT_NEAR(one.ci95->low, 0.7864, 5e-4);
  EXPECT_NEAR(one.ci95->high, 0.9565, 5e-4);
}

TEST(Suspects, BeginWithConfirmedCausesThenWithWhatCostsMost) {
  diagnose::Verdict verdict;
  verdict.causes.resize(2);
  verdict.causes[0].status = diagnose::CauseStatus::kPartial;
  verdict.causes[0].layers = {4};
  verdict.causes[1].status = diagnose::CauseStatus::kConfirmed;
  verdict.causes[1].layers = {6, 2};
  verdict.layers.resize(4);
  for (int i = 0; i < 4; ++i) verdict.layers[static_cast<std::size_t>(i)].index = i;
  verdict.layers[0].local_error = 0.1;
  verdict.layers[1].local_error = 0.9;
  verdict.layers[2].local_error = 0.5;
  verdict.layers[3].single_layer_error = 0.05;
  EXPECT_THAT(suspects(verdict), ElementsAre(6, 2, 4, 3, 1, 0));
  verdict.layers[0].share = 0.9;  // Its own output hides the loss that it causes.
  EXPECT_THAT(suspects(verdict), ElementsAre(6, 2, 4, 0, 3, 1));
}

}  // namespace
}  // namespace edgeprobe::fix
