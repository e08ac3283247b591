// SPDX-License-Identifier: Apache-2.0
#include "diagnose/fix/calibration_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace edgeprobe::fix {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// `n` samples whose two tensors have the range 0..1.
std::vector<std::vector<Range>> quiet(std::size_t n) {
  return std::vector<std::vector<Range>>(n, {{0, 1}, {0, 1}});
}

TEST(CoveringSamples, HoldTheOnesThatReachFarthest) {
  auto ranges = quiet(50);
  ranges[17][0].high = 9;
  ranges[31][1].low = -4;
  const auto chosen = covering_samples(ranges, 5);
  EXPECT_EQ(chosen.size(), 5u);
  EXPECT_THAT(chosen, Contains(17u));
  EXPECT_THAT(chosen, Contains(31u));
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
}

TEST(CoveringSamples, ReachWhatAllReach) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> value(0, 1);
  std::vector<std::vector<Range>> ranges;
  for (int s = 0; s < 200; ++s) {
    auto& sample = ranges.emplace_back();
    for (int t = 0; t < 20; ++t) sample.push_back({-value(random), value(random)});
  }
  const auto chosen = covering_samples(ranges, 60);
  for (std::size_t t = 0; t < 20; ++t) {
    float low = 0, high = 0, chosen_low = 0, chosen_high = 0;
    for (const auto& sample : ranges) {
      low = std::min(low, sample[t].low);
      high = std::max(high, sample[t].high);
    }
    for (const std::size_t s : chosen) {
      chosen_low = std::min(chosen_low, ranges[s][t].low);
      chosen_high = std::max(chosen_high, ranges[s][t].high);
    }
    EXPECT_NEAR(chosen_low, low, (high - low) / 255);
    EXPECT_NEAR(chosen_high, high, (high - low) / 255);
  }
}

TEST(CoveringSamples, AreNoMoreThanThereAre) {
  EXPECT_THAT(covering_samples(quiet(3), 100), ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(covering_samples({}, 100), IsEmpty());
  EXPECT_THAT(covering_samples(quiet(3), 0), IsEmpty());
}

TEST(CoveringSamples, PassOverTensorsWithoutALimit) {
  auto ranges = quiet(4);
  ranges[1][0].high = std::numeric_limits<float>::infinity();
  ranges[2][1].high = 7;
  EXPECT_THAT(covering_samples(ranges, 2), Contains(2u));
}

TEST(SplitSamples, HoldsOutEveryFourthWhereThereAreEnough) {
  EXPECT_EQ(split_samples(39).held_out.size(), 0u);
  EXPECT_EQ(split_samples(39).used.size(), 39u);
  const Split split = split_samples(48);
  EXPECT_EQ(split.held_out.size(), 12u);
  EXPECT_EQ(split.used.size(), 36u);
  for (const std::size_t one : split.held_out)
    EXPECT_EQ(std::count(split.used.begin(), split.used.end(), one), 0);
}

}  // namespace
}  // namespace edgeprobe::fix
