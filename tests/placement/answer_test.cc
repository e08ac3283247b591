// SPDX-License-Identifier: Apache-2.0
// Answers of searches as texts that are kept, and what a machine is known by.
#include "placement/search/answer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "placement/search/conditions.h"
#include "stretch/towers.h"

namespace edgeprobe::placement::testing {
namespace {

constexpr std::int64_t kDay = 24 * 3600;

Found found_of(const stretch::testing::Towers& towers) {
  Found found;
  found.measured_at = 100 * kDay;
  found.pieces_measured = 3;
  found.pieces_known = 2;
  Candidate plain;
  plain.name = "1T";
  plain.is_plain = true;
  plain.plan = towers.plan;
  plain.processes = {Timing{0.002, 0.0019, 0.0021, 0.0018, 0.003, 50, 60, 0.002},
                     Timing{0.0019, 0.0018, 0.002, 0.0018, 0.003, 45, 60, 0.002},
                     Timing{0.0019, 0.0018, 0.0021, 0.0018, 0.002, 40, 60, 0.002}};
  Candidate division = plain;
  division.name = "1 region";
  division.is_plain = false;
  for (Timing& timing : division.processes) timing = slowed(timing, 0.8);
  division.predicted = 0.0005;
  division.predicted_alone = 0.0004;
  division.difference = Difference{1e-7, 2e-6, 20, 0, false, "output", 0.01, 0};
  Candidate wrong = division;
  wrong.refused = "it computes something else";
  wrong.difference = Difference{HUGE_VAL, HUGE_VAL, 20, 3, false, "output", HUGE_VAL, 1e-3};
  found.candidates = {plain, division, wrong};
  decide(found, "no reason");
  return found;
}

void expect_equal(const Found& a, const Found& b) {
  EXPECT_EQ(a.answer, b.answer);
  EXPECT_EQ(a.chosen, b.chosen);
  EXPECT_EQ(a.ratio, b.ratio);
  EXPECT_EQ(a.measured_at, b.measured_at);
  ASSERT_EQ(a.candidates.size(), b.candidates.size());
  for (std::size_t i = 0; i < a.candidates.size(); ++i) {
    const Candidate &one = a.candidates[i], &other = b.candidates[i];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.is_plain, other.is_plain);
    EXPECT_EQ(one.plan, other.plan);
    EXPECT_EQ(one.predicted, other.predicted);
    EXPECT_EQ(one.predicted_alone, other.predicted_alone);
    EXPECT_EQ(one.processes, other.processes);
    EXPECT_EQ(one.evidence, other.evidence);
    EXPECT_EQ(one.refused, other.refused);
    ASSERT_EQ(one.difference.has_value(), other.difference.has_value());
    if (one.difference) {
      EXPECT_EQ(to_json(*one.difference), to_json(*other.difference));
      EXPECT_EQ(one.difference->relative, other.difference->relative);
      EXPECT_EQ(one.difference->worst, other.difference->worst);
      EXPECT_EQ(one.difference->excess, other.difference->excess);
    }
  }
}

TEST(Answer, IsTheSameAgainAndSaysThatItWasKept) {
  const stretch::testing::Towers towers;
  const Found found = found_of(towers);
  const auto again = answer_from_text(answer_text(found), towers.drawn.graph, found.measured_at);
  ASSERT_TRUE(again);
  expect_equal(found, *again);
  EXPECT_TRUE(again->is_kept);
  EXPECT_EQ(again->pieces_measured, 0u);
  EXPECT_EQ(again->pieces_known, 5u);
}

TEST(Answer, GrowsOldAndIsNotOfTheFuture) {
  const stretch::testing::Towers towers;
  const Found found = found_of(towers);
  const std::string text = answer_text(found);
  const auto at = [&](std::int64_t now) {
    return answer_from_text(text, towers.drawn.graph, now).has_value();
  };
  EXPECT_TRUE(at(found.measured_at + 30 * kDay));
  EXPECT_FALSE(at(found.measured_at + 30 * kDay + 1));
  EXPECT_FALSE(at(found.measured_at - 1));
}

TEST(Answer, IsNotOneOnceAByteIsAnother) {
  const stretch::testing::Towers towers;
  const Found found = found_of(towers);
  const std::string text = answer_text(found);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] ^= 1;
    ASSERT_FALSE(answer_from_text(damaged, towers.drawn.graph, found.measured_at)) << i;
    ASSERT_FALSE(answer_from_text(text.substr(0, i), towers.drawn.graph, found.measured_at)) << i;
  }
}

TEST(Answer, IsNotOneOfAnotherModel) {
  const stretch::testing::Towers towers;
  stretch::testing::Towers other("onnx", {1, 2, 4}, {1, 4, 4});
  const Found found = found_of(towers);
  EXPECT_FALSE(answer_from_text(answer_text(found), other.drawn.graph, found.measured_at));
}

TEST(Answer, DoesNotLastWhereSomethingFailed) {
  const stretch::testing::Towers towers;
  Found found = found_of(towers);
  EXPECT_TRUE(is_lasting(found));  // A processor that computes wrong values would do so again.
  found.candidates.back().difference.reset();
  found.candidates.back().refused = "out of memory";
  EXPECT_FALSE(is_lasting(found));
}

TEST(Answer, IsNotKeptWithoutEvidence) {
  const stretch::testing::Towers towers;
  Found found = found_of(towers);
  for (Candidate& one : found.candidates)
    for (Timing& timing : one.processes) timing.quiet = 2;
  decide(found, "no reason");
  EXPECT_FALSE(found.decided);
  EXPECT_FALSE(is_lasting(found));
  // Nor is one read that was kept by a version with other rules.
  EXPECT_FALSE(answer_from_text(answer_text(found), towers.drawn.graph, found.measured_at));
}

TEST(Conditions, AreOthersWithEachThingThatMayChangeATime) {
  const auto root = std::filesystem::path(::testing::TempDir()) /
                    ("edgeprobe-conditions-" + std::to_string(::getpid()));
  std::filesystem::remove_all(root);
  const auto write = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text << "\n";
  };
  const std::string cpus = "sys/devices/system/cpu/";
  for (const std::string cpu : {"cpu0/", "cpu1/", "cpu4/"}) {
    write(cpus + cpu + "cpufreq/scaling_governor", "schedutil");
    write(cpus + cpu + "cpufreq/scaling_max_freq", cpu == "cpu4/" ? "2400000" : "1800000");
  }
  const auto text = [&](const std::vector<int>& list) {
    return conditions_text(list, meter::Root{root});
  };
  EXPECT_EQ(text({0}), text({1}));
  EXPECT_NE(text({0}), text({4}));
  std::set<std::string> seen{text({0})};
  write(cpus + "cpu0/cpufreq/scaling_governor", "powersave");
  EXPECT_TRUE(seen.insert(text({0})).second);
  write(cpus + "cpu0/cpufreq/scaling_max_freq", "600000");
  EXPECT_TRUE(seen.insert(text({0})).second);
  write("etc/machine-id", "0123");
  EXPECT_TRUE(seen.insert(text({0})).second);
  write("proc/cpuinfo", "model name\t: another processor");
  EXPECT_TRUE(seen.insert(text({0})).second);
  write("sys/fs/cgroup/cpu.max", "50000 100000");
  EXPECT_TRUE(seen.insert(text({0})).second);
  write("sys/devices/system/cpu/smt/active", "1");
  EXPECT_TRUE(seen.insert(text({0})).second);
}

}  // namespace
}  // namespace edgeprobe::placement::testing
