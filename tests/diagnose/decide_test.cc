// SPDX-License-Identifier: Apache-2.0
#include "diagnose/examination/decide.h"

#include <gtest/gtest.h>

namespace edgeprobe::diagnose {
namespace {

/// A verdict with a cause inside the model that a repair has confirmed; the outputs are within
/// their floor.
Verdict with_cause(CauseKind kind, std::optional<double> agreement) {
  Verdict verdict;
  Cause cause;
  cause.kind = kind;
  cause.status = CauseStatus::kConfirmed;
  cause.stage = CauseStage::kModel;
  verdict.causes.push_back(cause);
  verdict.task.top1_agreement = agreement;
  return verdict;
}

Effect within_floor() {
  Effect effect;
  effect.gap = effect.rest = 0.037;
  effect.floor = 0.129;
  effect.replayed = 12;
  return effect;
}

TEST(Decide, RangesAndKernelsAreNotesWhereNoAnswerChanges) {
  for (const CauseKind kind : {CauseKind::kQuantization, CauseKind::kKernel}) {
    Verdict verdict = with_cause(kind, 1);
    decide(verdict, within_floor(), {}, Gate::kOutputs);
    EXPECT_EQ(verdict.outcome, Outcome::kAgrees);
    ASSERT_EQ(verdict.causes.size(), 1u);
    EXPECT_EQ(verdict.causes[0].status, CauseStatus::kNote);
    EXPECT_EQ(verdict.causes[0].evidence.back().kind, EvidenceKind::kEffectUnderFloor);
  }
}

TEST(Decide, TheyAreCausesWhereAnAnswerChangesOrNoneIsKnownOrTheOutputsAreOff) {
  Effect off = within_floor();
  off.gap = off.rest = 0.2;
  const std::vector<std::pair<std::optional<double>, Effect>> cases{
      {0.9, within_floor()}, {std::nullopt, within_floor()}, {1.0, off}};
  for (const auto& [agreement, effect] : cases) {
    Verdict verdict = with_cause(CauseKind::kQuantization, agreement);
    decide(verdict, effect, {}, Gate::kOutputs);
    EXPECT_EQ(verdict.outcome, Outcome::kDiffers);
    EXPECT_EQ(verdict.causes[0].status, CauseStatus::kConfirmed);
  }
}

TEST(Decide, OtherWeightsAreAFact) {
  Verdict verdict = with_cause(CauseKind::kWeights, 1);
  decide(verdict, within_floor(), {}, Gate::kOutputs);
  EXPECT_EQ(verdict.outcome, Outcome::kDiffers);
}

TEST(Decide, ChangedAnswersAreUndecidedUnlessLabelsJudgeThem) {
  Effect changed = within_floor();
  changed.answers_changed = 10;
  changed.answers_compared = 64;
  Verdict verdict;
  decide(verdict, changed, {}, Gate::kOutputs);
  EXPECT_EQ(verdict.outcome, Outcome::kUndecided);
  EXPECT_EQ(verdict.headline.kind, HeadlineKind::kAnswersChanged);
  ASSERT_EQ(verdict.would_decide.size(), 1u);
  EXPECT_EQ(verdict.would_decide[0].kind, HintKind::kGiveLabelsForAnswers);

  Verdict labelled;
  labelled.task.p_value = 0.4;
  labelled.task.target = labelled.task.reference = 0.9;
  decide(labelled, changed, {}, Gate::kOutputs);
  EXPECT_EQ(labelled.outcome, Outcome::kAgrees);
}

}  // namespace
}  // namespace edgeprobe::diagnose
