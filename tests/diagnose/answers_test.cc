// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/answers/judged.h"

namespace edgeprobe::diagnose {
namespace {

using testing::HasSubstr;
using testing::Not;

AnswerFinding found(AnswerStatus status, std::size_t explanations, bool is_proven = true) {
  AnswerFinding out;
  out.status = status;
  out.frames = 8;
  out.unlike = 3;
  out.parts = "scores";
  for (std::size_t i = 0; i < explanations; ++i)
    out.explanations.push_back({{{"change " + std::to_string(i), "line"}}, is_proven, 12, false});
  return out;
}
const kinds::AnswerKind& boxes() { return kinds::kind_of(kinds::AnswerId::kBoxes); }

TEST(AnswerCauses, AreNoneWhereAllAnswersAgree) {
  AnswerFinding agrees = found(AnswerStatus::kAgrees, 0);
  agrees.unlike = 0;
  EXPECT_TRUE(causes_of(agrees, boxes()).empty());
}

TEST(AnswerCauses, UnexplainedAnswersHaveTheWordsOfTheirKind) {
  for (const kinds::AnswerKind& kind : kinds::answer_kinds()) {
    const auto none = causes_of(found(AnswerStatus::kUnknown, 0), kind);
    ASSERT_EQ(none.size(), 1u);
    EXPECT_EQ(none[0].detail, std::string("the app makes ") + kind.other +
                                  " of the recorded outputs than the reference's recipe does, and "
                                  "no change of the recipe that is known gives " +
                                  kind.pronoun);
    const auto nearest = causes_of(found(AnswerStatus::kPartial, 2), kind);
    ASSERT_EQ(nearest.size(), 1u);
    EXPECT_THAT(nearest[0].detail, HasSubstr(std::string("which does not give ") + kind.pronoun +
                                             " either: change 0"));
    EXPECT_NE(nearest[0].status, CauseStatus::kConfirmed);
  }
}

TEST(AnswerCauses, AProvenChangeIsConfirmedWithItsFix) {
  const auto causes = causes_of(found(AnswerStatus::kExplained, 1), boxes());
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].detail, "change 0");
  EXPECT_EQ(causes[0].status, CauseStatus::kConfirmed);
  EXPECT_EQ(causes[0].fix_code.at("numpy"), "line");
  ASSERT_EQ(causes[0].evidence.size(), 2u);
  EXPECT_EQ(causes[0].evidence[0].kind, EvidenceKind::kAnswersUnlike);
  EXPECT_EQ(causes[0].evidence[1].kind, EvidenceKind::kAnswersReproduced);
}

TEST(AnswerCauses, AnUnprovenChangeSaysHowMuchSpeaksForItAndWhatWouldDecide) {
  AnswerFinding open = found(AnswerStatus::kSomeFrames, 2, false);
  open.decides = Evidence{EvidenceKind::kAnswerDecides, {}};
  const auto causes = causes_of(open, boxes());
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].detail, "change 0; in 3 of 8 frames");
  EXPECT_EQ(causes[0].status, CauseStatus::kPartial);
  EXPECT_TRUE(causes[0].fix_code.empty());
  ASSERT_EQ(causes[0].evidence.size(), 4u);
  EXPECT_EQ(causes[0].evidence[2].kind, EvidenceKind::kAnswersFit);
  EXPECT_EQ(causes[0].evidence[3].kind, EvidenceKind::kAnswerDecides);
  EXPECT_EQ(causes[0].alternatives, std::vector<std::string>{"change 1"});
}

TEST(AnswerCauses, ListEightOtherExplanationsAndCountTheRest) {
  const auto eight = causes_of(found(AnswerStatus::kExplained, 9), boxes());
  EXPECT_EQ(eight[0].alternatives.size(), 8u);
  EXPECT_THAT(eight[0].alternatives.back(), Not(HasSubstr("more")));
  const auto ten = causes_of(found(AnswerStatus::kExplained, 11), boxes());
  EXPECT_EQ(ten[0].alternatives.size(), 9u);
  EXPECT_EQ(ten[0].alternatives.back(), "and 2 more");
}

}  // namespace
}  // namespace edgeprobe::diagnose
