// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/shape/judged.h"

namespace edgeprobe::placement::shape {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<Timing> processes(const std::vector<double>& medians, std::size_t quiet) {
  std::vector<Timing> all;
  for (const double median : medians) {
    Timing timing;
    timing.median = median;
    timing.quiet = quiet;
    timing.runs = 100;
    all.push_back(timing);
  }
  return all;
}

Judged way(const std::string& name, Role role, const std::vector<double>& medians,
           std::size_t quiet = 50) {
  return {name, role, figure_of(processes(medians, quiet))};
}

TEST(PlacementShapeJudged, BranchesWhenTheRangesDoNotTouch) {
  const auto answer = judge({way("base", Role::kBase, {0.010, 0.011, 0.012}),
                             way("split", Role::kSplit, {0.020, 0.021, 0.022}),
                             way("two-1", Role::kBranched, {0.007, 0.008, 0.009})});
  EXPECT_TRUE(answer.is_decided);
  EXPECT_TRUE(answer.branches);
  EXPECT_EQ(answer.chosen, 2U);
  EXPECT_EQ(answer.text, "branch: two-1 takes 8 ms; base takes 11 ms, 1.38 times as long");
}

TEST(PlacementShapeJudged, DoesNotBranchWhenAnExactSplitIsAsFast) {
  const auto answer = judge({way("base", Role::kBase, {0.010, 0.011, 0.012}),
                             way("split", Role::kSplit, {0.0075, 0.0085, 0.009}),
                             way("two-1", Role::kBranched, {0.007, 0.008, 0.009})});
  EXPECT_TRUE(answer.is_decided);
  EXPECT_FALSE(answer.branches);
  EXPECT_EQ(answer.chosen, 1U);
  EXPECT_THAT(answer.text, StartsWith("do not branch: split takes 8.5 ms"));
  EXPECT_THAT(answer.text, HasSubstr("ranges of the two overlap"));
}

TEST(PlacementShapeJudged, IsUndecidedWithTwoProcessesOrWithoutQuietRuns) {
  const Judged base = way("base", Role::kBase, {0.010, 0.011, 0.012});
  for (const Judged& two : {way("two-1", Role::kBranched, {0.001, 0.001}),
                            way("two-1", Role::kBranched, {0.001, 0.001, 0.001}, 19)}) {
    const auto answer = judge({base, two});
    EXPECT_FALSE(answer.is_decided);
    EXPECT_FALSE(answer.branches);
    EXPECT_FALSE(answer.chosen);
    EXPECT_THAT(answer.text, StartsWith("undecided: two-1 has"));
  }
  EXPECT_FALSE(judge({way("base", Role::kBase, {0.010, 0.011, 0.012}, 3),
                      way("two-1", Role::kBranched, {0.001, 0.001, 0.001})})
                   .is_decided);
}

TEST(PlacementShapeJudged, AWayThatMayBeTheFastestLeavesItOpen) {
  const Judged base = way("base", Role::kBase, {0.010, 0.011, 0.012});
  const Judged two = way("two-1", Role::kBranched, {0.007, 0.008, 0.009});
  EXPECT_FALSE(judge({base, way("pool", Role::kBase, {0.011, 0.011, 0.011}, 3), two}).is_decided);
  // Disturbance may be all that makes it slow.
  EXPECT_FALSE(judge({base, way("pool", Role::kBase, {0.02, 0.03, 0.03}, 3), two}).is_decided);
  // One network that is faster is enough; that none is takes all of them.
  const Judged open = way("two-2", Role::kBranched, {0.001, 0.001, 0.001}, 3);
  const auto answer = judge({base, two, open});
  EXPECT_TRUE(answer.branches);
  EXPECT_EQ(answer.chosen, 1U);
  EXPECT_FALSE(judge({base, way("two-1", Role::kBranched, {0.02, 0.02, 0.02}), open}).is_decided);
}

TEST(PlacementShapeJudged, TheNarrowedBaseAnswersNothing) {
  const auto answer = judge({way("base", Role::kBase, {0.010, 0.011, 0.012}),
                             way("narrow", Role::kNarrowed, {0.001, 0.001, 0.001}),
                             way("two-1", Role::kBranched, {0.020, 0.021, 0.022})});
  EXPECT_TRUE(answer.is_decided);
  EXPECT_EQ(answer.chosen, 0U);
  EXPECT_FALSE(judge({way("base", Role::kBase, {0.010, 0.011, 0.012})}).is_decided);
}

}  // namespace
}  // namespace edgeprobe::placement::shape
