// SPDX-License-Identifier: Apache-2.0
// What a search answers to timings that are made up, and timings as text.
#include "placement/search/found.h"

#include <gtest/gtest.h>

namespace edgeprobe::placement {
namespace {

Candidate candidate(const std::string& name, bool plain, double low, double median, double high) {
  Candidate one;
  one.name = name;
  one.is_plain = plain;
  one.best = Timing{median, low, high, low, high, 100, 100, median};
  return one;
}

Found decided(std::vector<Candidate> candidates, const std::string& otherwise = "no reason") {
  Found found;
  found.candidates = std::move(candidates);
  decide(found, otherwise);
  return found;
}

TEST(Decide, ADivisionMustBeFasterThanTheBestPlainOptionBeyondBothIntervals) {
  const auto found = decided({candidate("1T", true, 0.0019, 0.002, 0.0021),
                              candidate("2T", true, 0.00095, 0.001, 0.00105),
                              candidate("a", false, 0.00075, 0.0008, 0.00085),
                              candidate("b", false, 0.0007, 0.0009, 0.0011)});
  EXPECT_TRUE(found.branches);
  EXPECT_EQ(found.chosen, 2u);
  EXPECT_DOUBLE_EQ(*found.ratio, 1.25);
  EXPECT_EQ(found.answer, "branch: a take 0.8 ms; 2T takes 1 ms, 1.25 times as long");
}

TEST(Decide, WithinTheIntervalsThePlainOneIsTaken) {
  const auto found = decided({candidate("2T", true, 0.00092, 0.001, 0.00105),
                              candidate("a", false, 0.0009, 0.00092, 0.00093)});
  EXPECT_FALSE(found.branches);
  EXPECT_EQ(found.chosen, 0u);
  EXPECT_EQ(
      found.answer,
      "do not branch: 2T takes 1 ms; the best division, a, takes 0.92 ms, and the intervals of the "
      "two overlap");
}

/// Processes with these medians, each with an interval of ±1 %.
Candidate measured(std::vector<double> medians) {
  Candidate one;
  for (const double median : medians) {
    Timing timing;
    timing.median = median;
    timing.low = 0.99 * median;
    timing.high = 1.01 * median;
    one.processes.push_back(timing);
  }
  one.best = fastest(one.processes);
  return one;
}

TEST(Undecided, WhatFurtherProcessesMayChange) {
  using Open = std::vector<std::size_t>;
  // Far apart, with little variation from process to process.
  EXPECT_EQ(undecided({measured({1, 1.01, 1.02}), measured({1.2, 1.21, 1.22})}), Open{});
  // Intervals that overlap.
  EXPECT_EQ(undecided({measured({1.015, 1.02}), measured({1, 1.01})}), (Open{0, 1}));
  // A tie: either choice is equally good.
  EXPECT_EQ(undecided({measured({1.005, 1.02}), measured({1, 1.01})}), Open{});
  // A pool with a slow mode; its fast mode may not have been observed yet.
  EXPECT_EQ(undecided({measured({1, 1, 1}), measured({1.2, 1.5, 1.4}), measured({1.2, 1.2, 1.2})}),
            (Open{0, 1}));
  // No mode is that far away.
  EXPECT_EQ(undecided({measured({1, 1, 1}), measured({1.6, 2.5, 2.4})}), Open{});
  // The same pool; its few processes showed only one mode.
  Candidate pool = measured({1.2, 1.2, 1.2});
  pool.plan.processors = {{"all", "onnxruntime", {0, 1}, 2, 1}};
  EXPECT_EQ(undecided({measured({1, 1, 1}), pool}), (Open{0, 1}));
  pool.processes.resize(8, pool.processes.front());
  EXPECT_EQ(undecided({measured({1, 1, 1}), pool}), Open{});
  Candidate refused = measured({1.2, 1.5});
  refused.refused = "it computes something else";
  EXPECT_EQ(undecided({measured({1, 1, 1}), refused, Candidate{}}), Open{});
  EXPECT_EQ(undecided({}), Open{});
}

TEST(Decide, WhatWasRefusedOrNotMeasuredIsNotChosen) {
  Candidate wrong = candidate("fast and wrong", false, 0.0001, 0.0001, 0.0001);
  wrong.refused = "it computes something else";
  Candidate wrong_plain = candidate("fast GPU", true, 0.0001, 0.0001, 0.0001);
  wrong_plain.refused = "it computes something else";
  Candidate unmeasured = candidate("slow", false, 1, 1, 1);
  unmeasured.best.reset();
  const auto found =
      decided({wrong_plain, candidate("1T", true, 0.001, 0.001, 0.001), wrong, unmeasured},
              "no division could be measured");
  EXPECT_FALSE(found.branches);
  EXPECT_EQ(found.chosen, 1u);
  EXPECT_FALSE(found.ratio);
  EXPECT_EQ(found.answer, "do not branch: 1T takes 1 ms; no division could be measured");
}

TEST(Timing, IsTheSameBehindItsText) {
  const Timing timing{1.5e-3, 1.4e-3, 1.6e-3, 1.3e-3, 2e-3, 90, 100, 2.5e-3};
  EXPECT_EQ(timing_from_json(to_json(timing)), timing);
}

TEST(Timing, DamagedTextsAreNone) {
  const std::string text = to_json(Timing{1.5e-3, 1.4e-3, 1.6e-3, 1.3e-3, 2e-3, 90, 100, 2.5e-3});
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(timing_from_json(text.substr(0, length))) << length;
  for (const char* const damaged : {"", "[]", "null", "{\"median\":1}", "{\"median\":1e999}",
                                    "{\"median\":0,\"low\":1,\"high\":1,\"p10\":1,\"p90\":1,"
                                    "\"quiet\":1,\"runs\":1,\"core_seconds\":1}",
                                    "{\"median\":-1,\"low\":1,\"high\":1,\"p10\":1,\"p90\":1,"
                                    "\"quiet\":1,\"runs\":1,\"core_seconds\":1}",
                                    "{\"median\":\"1\",\"low\":1,\"high\":1,\"p10\":1,\"p90\":1,"
                                    "\"quiet\":1,\"runs\":1,\"core_seconds\":1}"})
    EXPECT_FALSE(timing_from_json(damaged)) << damaged;
}

}  // namespace
}  // namespace edgeprobe::placement
