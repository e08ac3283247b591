// SPDX-License-Identifier: Apache-2.0
#include "diagnose/case/state_words.h"

#include <gtest/gtest.h>

namespace edgeprobe::diagnose {
namespace {

using state::BendKind;
using state::Change;
using state::Finding;
using state::Source;

RecordedStates two() {
  RecordedStates made;
  made.pairs = {{"h_out", "h"}, {"c_out", "c"}};
  made.recording.frames = {10, 11, 12, 13};
  made.recording.outputs = {{"h_out", {}}, {"c_out", {}}};
  made.initial_of_reference = {true, false};
  return made;
}

Finding finding(Source source, state::Extent extent, std::vector<std::size_t> steps = {1, 2, 3},
                std::vector<std::size_t> states = {0}) {
  Finding made;
  made.states = std::move(states);
  made.change.source = source;
  made.steps = std::move(steps);
  made.extent = extent;
  return made;
}

std::string said(const Finding& finding) { return told(two(), finding, 4); }

TEST(StateWords, AStateThatComesLateIsToldWithItsDelayAndFirstFrame) {
  Finding late = finding(Source::kLate, state::Extent::kEvery);
  late.change.ago = 3;
  EXPECT_EQ(said(late), "state 'h' comes 2 steps late, in every step; first at frame 11");
  late.change.ago = 2;
  late.states = {0, 1};
  late.change.bend.kind = BendKind::kFloat16;
  EXPECT_EQ(said(late),
            "states 'h' and 'c' come 1 step late, and rounded to float16, in every step; first at "
            "frame 11");
}

TEST(StateWords, TheExtentSaysWhere) {
  EXPECT_EQ(
      said(finding(Source::kKept, state::Extent::kFrom, {2, 3})),
      "state 'h' is not copied: the input of the step before is fed again, in every step from "
      "frame 12 on; first at frame 12");
  Finding often = finding(Source::kZero, state::Extent::kPeriod, {1, 3});
  often.period = 2;
  EXPECT_EQ(said(often),
            "state 'h' is zero in the middle of a sequence, in every 2. step; first at frame 11");
  EXPECT_EQ(said(finding(Source::kInitial, state::Extent::kSome, {3})),
            "state 'h' is set back to the initial value in the middle of a sequence, in 1 of 4 "
            "steps; first at frame 13");
  EXPECT_EQ(said(finding(Source::kInitial, state::Extent::kEvery)),
            "state 'h' is not fed back: it is the initial value again in the middle of a sequence, "
            "in every step; first at frame 11");
  EXPECT_EQ(said(finding(Source::kNotReset, state::Extent::kSome, {2})),
            "state 'h' is not set back where a sequence begins: what the sequence before left goes "
            "on, at 1 beginning; first at frame 12");
}

TEST(StateWords, AnotherBeginningIsMeasuredByTheReferenceOrByTheOthers) {
  EXPECT_EQ(said(finding(Source::kOtherInitial, state::Extent::kEvery, {0})),
            "state 'h' begins sequences with another value than the reference, at every beginning; "
            "first at frame 10");
  EXPECT_EQ(said(finding(Source::kOtherInitial, state::Extent::kEvery, {0}, {1})),
            "state 'c' begins sequences with another value than most of them, at every beginning; "
            "first at frame 10");
}

TEST(StateWords, AnOutputInPlaceOfAnotherAndAnExchangeAreToldApart) {
  Finding other = finding(Source::kOutput, state::Extent::kEvery);
  other.change.output = 1;
  EXPECT_EQ(said(other),
            "state 'h' is fed with output 'c_out' in place of 'h_out', in every step; first at "
            "frame 11");
  other.exchanged = true;
  other.states = {0, 1};
  EXPECT_EQ(said(other),
            "states 'h' and 'c' are exchanged: each is fed with the other's output, in every step; "
            "first at frame 11");
}

TEST(StateWords, AHalfCopiedStateSaysFromWhichElementItIsOld) {
  Finding half = finding(Source::kHalf, state::Extent::kEvery);
  half.half.emplace();
  half.half->new_until = 8;
  EXPECT_EQ(said(half),
            "state 'h' is only half copied: each element is the new one or the one before (old "
            "from element 8 on), in every step; first at frame 11");
}

TEST(StateWords, BendsAreNamedWithTheirNumbers) {
  Finding bent = finding(Source::kMeant, state::Extent::kEvery);
  bent.change.bend = {BendKind::kDecimals, 2, 0};
  EXPECT_EQ(said(bent),
            "state 'h' arrives rounded to 2 decimals, in every step; first at frame 11");
  bent.change.bend = {BendKind::kLevels, 0, 0};
  bent.level_step = 0.5;
  EXPECT_EQ(said(bent),
            "state 'h' arrives rounded to 8 bits or fewer (steps of 0.5), in every step; first at "
            "frame 11");
  bent.change.bend = {BendKind::kTransposed, 1, 2};
  EXPECT_EQ(said(bent),
            "state 'h' arrives with its axes 1 and 2 transposed, in every step; first "
            "at frame 11");
}

TEST(StateWords, OtherNamesAreShort) {
  Change change;
  change.source = Source::kLate;
  change.ago = 3;
  change.bend.kind = BendKind::kNegated;
  EXPECT_EQ(other_name(two(), change), "the state comes 2 steps late, negated");
  change = {Source::kOutput, 1, 0, {}};
  EXPECT_EQ(other_name(two(), change), "output 'c_out' is fed");
  EXPECT_EQ(other_name(two(), {}), "something else");
  EXPECT_EQ(names_of(two(), finding(Source::kZero, state::Extent::kEvery, {1}, {0, 1})), "h, c");
}

}  // namespace
}  // namespace edgeprobe::diagnose
