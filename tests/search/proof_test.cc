// SPDX-License-Identifier: Apache-2.0
#include "search/proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace edgeprobe::search {
namespace {

using testing::ElementsAre;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(Weakest, HasTheLeastToSpare) {
  const std::vector<Proof> proofs{{20, 12}, {9, 6}, {30, 12}};
  EXPECT_EQ(weakest(proofs, false).bits, 9);
  EXPECT_EQ(weakest(proofs, false).spare(), 3);
  EXPECT_GT(weakest({}, false).spare(), 1e9);
}

TEST(Weakest, IsTheFirstOfEqualsOrTheLast) {
  const std::vector<Proof> proofs{{40, 12}, {3, kInfinite}, {7, kInfinite}};
  EXPECT_EQ(weakest(proofs, false).bits, 3);
  EXPECT_EQ(weakest(proofs, true).bits, 7);
  EXPECT_LT(weakest(proofs, true).spare(), 0);
}

TEST(BitsNeeded, PayForTheChoice) {
  EXPECT_EQ(bits_needed(16), 12);
  EXPECT_EQ(bits_needed(16, 3), 20);
  EXPECT_EQ(bits_needed(0), 9);  // A choice of one is one of two.
}

TEST(BitsOfNumber, AreLimitedAndNeverNegative) {
  EXPECT_EQ(bits_of_number(1, 1.0 / 16), 3);
  EXPECT_EQ(bits_of_number(1, 1), 0);
  EXPECT_EQ(bits_of_number(0, 1), 0);
  EXPECT_EQ(bits_of_number(1e9, 1e-9), 11);
}

TEST(BitsOfChoice, CountTheWays) {
  EXPECT_NEAR(bits_of_choice(6, 3), std::log2(20), 1e-12);
  EXPECT_NEAR(bits_of_choice(6, 0), 0, 1e-12);
  EXPECT_EQ(bits_of_choice(3, 4), 0);
}

TEST(Facts, CountOnce) {
  Facts facts;
  EXPECT_TRUE(facts.is_new(1, 0.1));
  EXPECT_FALSE(facts.is_new(1.15, 0.1));
  EXPECT_TRUE(facts.is_new(1.3, 0.1));
}

TEST(CutBehind, LiesBetweenWhatIsDroppedAndWhatIsKept) {
  const Cut cut = cut_behind({0.2, 0.9, 0.5}, 2);
  EXPECT_THAT(cut.scores, ElementsAre(0.9, 0.5, 0.2));
  EXPECT_EQ(cut.low, 0.2);
  EXPECT_EQ(cut.high, 0.5);
  const Cut none = cut_behind({0.2}, 0), all = cut_behind({0.2}, 5);
  EXPECT_FALSE(none.keeps);
  EXPECT_EQ(none.high, kInfinite);
  EXPECT_FALSE(all.drops);
  EXPECT_EQ(all.low, -kInfinite);
}

TEST(BitsOfCuts, AreWhatTheOtherFramesPredict) {
  // The second frame's cut is in 0.5 .. 0.6, which leaves one of the first frame's four possible
  // cuts. The first frame's cut is in 0.3 .. 0.7, which leaves all four of the second's.
  const std::vector<Cut> cuts{cut_behind({0.9, 0.7, 0.3}, 2), cut_behind({0.6, 0.4, 0.5}, 1)};
  EXPECT_NEAR(bits_of_cuts(cuts), std::log2(4.0 / 1), 1e-12);
  // One frame predicts nothing.
  EXPECT_EQ(bits_of_cuts(std::span(cuts).first(1)), 0);
}

}  // namespace
}  // namespace edgeprobe::search
