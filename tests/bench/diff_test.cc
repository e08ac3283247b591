// SPDX-License-Identifier: Apache-2.0
// Comparing two measurements, with what is different planted.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bench/json.h"

namespace edgeprobe::bench {
namespace {

/// Ten kernels of 100 us and the run that contains them; kernel `slow` takes `factor` times as
/// long.
Results measured(unsigned seed, int slow = -1, double factor = 1, std::size_t runs = 200) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> noise(0, 0.03);
  Results results;
  results.subject = {
      "m.tflite", "abc",           10, "tflite", {"litert", "2.3.0", "/x/lib.so", "def"}, "xnnpack",
      "",         "random, seed 1"};
  results.machine = {"x86_64", "Fast One", 2, 1u << 30, "6.1"};
  Configuration configuration;
  configuration.name = "threads=1";
  configuration.profile.emplace();
  LayerTimes& times = configuration.profile->times;
  for (int k = 0; k < 10; ++k)
    times.kernels.push_back(
        {"k" + std::to_string(k), "CONV_2D", "gemm", "f32", {k}, false, {}, 0, 0, 0.1});
  for (std::size_t i = 0; i < runs; ++i) {
    double whole = 0;
    for (int k = 0; k < 10; ++k) {
      const double seconds = 100e-6 * noise(random) * (k == slow ? factor : 1);
      times.kernels[static_cast<std::size_t>(k)].seconds.push_back(seconds);
      whole += seconds;
    }
    configuration.runs.push_back({0, whole, 0.0, std::nullopt, true});
  }
  times.runs = runs;
  results.configurations.push_back(std::move(configuration));
  return results;
}

/// `rounds` processes. Each has its own factor, which all of its times share: the memory that it
/// got, or its neighbours.
std::vector<Results> processes(unsigned seed, double apart = 0.1, int slow = -1, double factor = 1,
                               std::size_t rounds = 8) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> process(0, apart);
  std::vector<Results> all;
  for (std::size_t i = 0; i < rounds; ++i) {
    Results one = measured(seed * 1000 + static_cast<unsigned>(i), slow, factor);
    const double own = process(random);
    for (auto& each : one.configurations[0].runs) each.latency *= own;
    for (KernelTime& kernel : one.configurations[0].profile->times.kernels)
      for (double& seconds : kernel.seconds) seconds *= own;
    all.push_back(std::move(one));
  }
  return all;
}

Result<Diff> diff(const Results& a, const Results& b, const DiffOptions& options) {
  return bench::diff(std::vector{a}, std::vector{b}, options);
}

TEST(Diff, NamesTheOneLayerThatBecameSlower) {
  const auto found = bench::diff(processes(1, 0.01), processes(2, 0.01, 6, 1.2), {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slower, 1u);  // The whole became 2 % slower, which is below the threshold.
  const ConfigurationDiff& one = found->configurations.at(0);
  EXPECT_EQ(one.rounds, 8u);
  EXPECT_EQ(one.overall.change, Change::kNone);
  for (std::size_t k = 0; k < 10; ++k)
    EXPECT_EQ(one.kernels[k].change, k == 6 ? Change::kSlower : Change::kNone) << k;
  EXPECT_NEAR(one.kernels[6].ratio.value, 1.2, 0.02);
  EXPECT_LT(one.kernels[6].ratio.low, 1.2);
  EXPECT_GT(one.kernels[6].ratio.high, 1.19);
  EXPECT_EQ(one.kernels[6].probability_of_superiority, 1);
  EXPECT_EQ(one.kernels[6].ratios.size(), 8u);
  EXPECT_EQ(one.kernels[6].what, "layer 6 k6 (CONV_2D)");
}

TEST(Diff, ProcessesThatLieApartAreNoRegression) {
  int slower = 0, sure_of_one = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    slower += bench::diff(processes(seed), processes(seed + 100), {})->slower > 0;
    sure_of_one +=
        diff(processes(seed, 0.1, -1, 1, 1)[0], processes(seed + 100, 0.1, -1, 1, 1)[0], {})
            ->slower > 0;
  }
  EXPECT_LE(slower, 2);
  EXPECT_EQ(sure_of_one, 0) << "one process of each cannot know how far two of them lie apart";
}

TEST(Diff, TenPercentAreFoundBetweenProcessesThatLieApart) {
  int slower = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    auto b = processes(seed + 100, 0.05, -1, 1, 20);
    for (Results& one : b)
      for (auto& each : one.configurations[0].runs) each.latency *= 1.1;
    slower +=
        bench::diff(processes(seed, 0.05, -1, 1, 20), b, {})->configurations[0].overall.change ==
        Change::kSlower;
  }
  EXPECT_GE(slower, 19);
}

TEST(Diff, WhatTheRoundsCannotExcludeIsUndecided) {
  const auto found = bench::diff(processes(3, 0.3, -1, 1, 3), processes(4, 0.3, -1, 1, 3), {});
  EXPECT_EQ(found->slower, 0u);
  EXPECT_EQ(found->undecided, 1u);
  EXPECT_EQ(found->configurations[0].overall.change, Change::kUnsure);
}

TEST(Diff, OneProcessOfEachIsBelievedFromAFactorOfTwoOn) {
  const auto some = diff(measured(1), measured(2, 6, 1.2), {});
  EXPECT_EQ(some->slower, 0u);
  EXPECT_EQ(some->undecided, 1u);
  EXPECT_EQ(some->configurations[0].kernels[6].change, Change::kUnsure);
  const auto much = diff(measured(1), measured(2, 6, 2.5), {});
  EXPECT_EQ(much->configurations[0].kernels[6].change, Change::kSlower);
  Results noisy = measured(2, 6, 2.5);
  noisy.configurations[0].no_quiet = "not known";
  EXPECT_EQ(diff(measured(1), noisy, {})->slower, 0u)
      << "runs that are not known to be quiet may have waited";
}

TEST(Diff, FindsNothingBetweenTwoHealthyMeasurements) {
  int slower = 0, undecided = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const auto found = diff(measured(seed), measured(seed + 100), {});
    slower += found->slower > 0;
    undecided += found->undecided > 0;
  }
  EXPECT_EQ(slower, 0);
  EXPECT_EQ(undecided, 0);
}

TEST(Diff, AnImprovementIsNoRegression) {
  const auto found = bench::diff(processes(1, 0.01, 6, 1.5), processes(2, 0.01), {});
  EXPECT_EQ(found->slower, 0u);
  EXPECT_EQ(found->configurations[0].kernels[6].change, Change::kFaster);
}

TEST(Diff, AChangeOfALayerBelowTheFloorIsShownAndDoesNotCount) {
  DiffOptions options;
  options.layer_floor = 0.03;  // 20 % of a tenth of the time are 2 %.
  const auto found = bench::diff(processes(1, 0.01), processes(2, 0.01, 6, 1.2), options);
  EXPECT_EQ(found->slower, 0u);
  EXPECT_EQ(found->configurations[0].kernels[6].change, Change::kSmall);
}

TEST(Diff, TheTwoSidesHaveAsManyFilesOfOneThingEach) {
  EXPECT_EQ(bench::diff(processes(1), processes(2, 0.1, -1, 1, 3), {}).error().kind,
            ErrorKind::kUsage);
  auto b = processes(2);
  b[3].subject.sha256 = "123";
  const auto refused = bench::diff(processes(1), b, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("the files of B are not of one thing"), std::string::npos);
}

TEST(Diff, RefusesOtherModelsAndOtherMachinesUnlessForced) {
  Results other = measured(2);
  other.subject.sha256 = "123";
  const auto refused = diff(measured(1), other, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_NE(refused.error().what.find("other models"), std::string::npos);
  other = measured(2);
  other.machine.processor = "Slow One";
  EXPECT_NE(diff(measured(1), other, {}).error().what.find("other machines"), std::string::npos);
  DiffOptions options;
  options.force = true;
  EXPECT_EQ(diff(measured(1), other, options)->notes.size(), 1u);
  other = measured(2);
  other.subject.engine.version = "2.4.0";  // Users want to compare an engine with its update.
  EXPECT_EQ(diff(measured(1), other, {})->notes.size(), 1u);
  other.configurations[0].name = "threads=2";
  EXPECT_FALSE(diff(measured(1), other, {}));
}

TEST(Diff, ComparesTheQuietRunsWhenBothHaveEnough) {
  Results noisy = measured(2);
  for (std::size_t i = 0; i < 150; ++i) {
    noisy.configurations[0].runs[i].latency *= 3;
    noisy.configurations[0].runs[i].quiet = false;
  }
  const auto found = diff(measured(1), noisy, {});
  EXPECT_TRUE(found->configurations[0].quiet);
  EXPECT_EQ(found->configurations[0].overall.runs_b, 50u);
  EXPECT_EQ(found->slower, 0u);
  noisy.configurations[0].no_quiet = "not known";
  EXPECT_EQ(diff(measured(1), noisy, {})->configurations[0].overall.change, Change::kUnsure);
}

TEST(Diff, FewRunsAreSaidToBeFew) {
  const auto found = diff(measured(1, -1, 1, 3), measured(2, -1, 1, 3), {});
  EXPECT_EQ(found->notes.size(), 1u);
}

TEST(ResultsJson, ReadsBackWhatAComparisonNeeds) {
  const Results written = measured(1);
  const auto read = results_from_json(to_json(written, "0.1.0"));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->subject.sha256, "abc");
  EXPECT_EQ(read->machine.processor, "Fast One");
  ASSERT_EQ(read->configurations.size(), 1u);
  EXPECT_EQ(read->configurations[0].runs.size(), 200u);
  EXPECT_EQ(read->configurations[0].runs[7].latency, written.configurations[0].runs[7].latency);
  EXPECT_EQ(read->configurations[0].profile->times.kernels[3].seconds,
            written.configurations[0].profile->times.kernels[3].seconds);
}

TEST(ResultsJson, SaysWhichKeyIsWrong) {
  std::string good = to_json(measured(1, -1, 1, 3), "0.1.0");
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const auto read = results_from_json(text);
    return read ? std::string("read") : read.error().what;
  };
  EXPECT_NE(broken("\"sha256\"", "\"sha\"").find("'model.sha256' is missing"), std::string::npos);
  EXPECT_NE(broken("\"edgeprobe_bench\": 1", "\"edgeprobe_bench\": 2").find("its schema is 2"),
            std::string::npos);
  EXPECT_NE(broken("\"quiet\": [\n", "\"quiet\": [true,").find("of another length"),
            std::string::npos);
  EXPECT_NE(broken("\"inner\": false", "\"inner\": 5").find("profile.kernels[0].inner"),
            std::string::npos);
  EXPECT_NE(results_from_json("[]").error().what.find("not a JSON object"), std::string::npos);
  EXPECT_NE(results_from_json("{").error().what.find("not JSON"), std::string::npos);
  EXPECT_NE(results_from_json("{\"edgeprobe_bench\": 1, \"model\": 1, \"engine\": 2, \"machine\": "
                              "[], \"configurations\": []}")
                .error()
                .what.find("not an object"),
            std::string::npos);
}

}  // namespace
}  // namespace edgeprobe::bench
