// SPDX-License-Identifier: Apache-2.0
// What a search answers to timings that are made up, and timings as text.
#include "placement/search/found.h"

#include <gtest/gtest.h>

namespace edgeprobe::placement {
namespace {

/// A candidate measured in three quiet processes.
Candidate candidate(const std::string& name, bool plain, double low, double median, double high) {
  Candidate one;
  one.name = name;
  one.is_plain = plain;
  one.plan.processors = {{"cpu0", "onnxruntime", {0}, 1, 1}};
  one.processes.assign(3, Timing{median, low, high, low, high, 100, 100, median});
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
  const auto found = decided({candidate("2T", true, 0.00097, 0.001, 0.00101),
                              candidate("a", false, 0.00095, 0.00096, 0.00098)});
  EXPECT_FALSE(found.branches);
  EXPECT_EQ(found.chosen, 0u);
  EXPECT_EQ(
      found.answer,
      "do not branch: 2T takes 1 ms; the best division, a, takes 0.96 ms, and the intervals of the "
      "two overlap");
}

TEST(Decide, WithoutEvidenceThereIsNoAnswer) {
  Candidate one = candidate("1T", true, 0.178, 0.178, 0.178),
            list = candidate("a", false, 0.083, 0.083, 0.083);
  one.processes = {Timing{0.178, 0.178, 0.178, 0.178, 0.178, 0, 1, 0.046}};
  list.processes = {Timing{0.083, 0.083, 0.083, 0.083, 0.083, 0, 1, 0.047}};
  const auto found = decided({one, list});
  EXPECT_FALSE(found.decided);
  EXPECT_FALSE(found.branches);
  EXPECT_FALSE(found.ratio);
  EXPECT_EQ(found.chosen, 0u);
  EXPECT_EQ(found.answer,
            "undecided: 1T had 0 quiet runs of 1, and 0 quiet processes of 1; an answer needs 20 "
            "such runs in 3 such processes. Other programs use the CPUs: stop them and search "
            "again, or with more --rounds");
  EXPECT_NE(to_json(found).find("\"decided\": false"), std::string::npos);
}

TEST(Decide, AnOpenComparisonIsToldWithItsModes) {
  Candidate pool = candidate("2T", true, 1, 1, 1), other = candidate("a", false, 8e-4, 8e-4, 8e-4);
  pool.plan.processors.front().threads = 2;
  pool.processes.clear();
  for (const double median : {0.65e-3, 0.65e-3, 0.65e-3, 1.1e-3, 1.1e-3, 1.1e-3, 1.1e-3, 1.1e-3})
    pool.processes.push_back({median, median, median, median, median, 100, 100, 2 * median});
  const auto found = decided({pool, other});
  EXPECT_FALSE(found.decided);
  EXPECT_EQ(found.answer,
            "undecided: 2T takes 0.65 ms in 3 of 8 processes and 1.1 ms in 5 of 8; the best "
            "division, a, takes 0.8 ms, and more processes are needed to tell which is faster; "
            "search again with more --rounds");
  EXPECT_NE(to_json(found).find("\"processes\": 5"), std::string::npos);
}

TEST(Decide, WhatWasRefusedOrNotMeasuredIsNotChosen) {
  Candidate wrong = candidate("fast and wrong", false, 0.0001, 0.0001, 0.0001);
  wrong.refused = "it computes something else";
  Candidate wrong_plain = candidate("fast GPU", true, 0.0001, 0.0001, 0.0001);
  wrong_plain.refused = "it computes something else";
  Candidate unmeasured = candidate("slow", false, 1, 1, 1);
  unmeasured.processes.clear();
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
