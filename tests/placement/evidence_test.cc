// SPDX-License-Identifier: Apache-2.0
// Which answers planted timings support: over processes and their modes, never by the luckiest, and
// none from a loud machine.
#include "placement/search/evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "placement/search/found.h"
#include "placement/search/rounds.h"

namespace edgeprobe::placement {
namespace {

/// A quiet process of a CPU with an interval of ±1 %.
Timing quiet(double median, std::size_t threads = 1) {
  return {median,       0.99 * median, 1.01 * median, 0.98 * median,
          1.1 * median, 100,           100,           median * static_cast<double>(threads)};
}

Way way(bool plain, const std::vector<double>& medians, std::size_t threads = 1) {
  Way one;
  one.is_plain = plain;
  one.is_pool = threads > 1;
  one.threads = threads;
  for (const double median : medians) one.processes.push_back(quiet(median, threads));
  return one;
}

TEST(Evidence, NeedsTwentyQuietRunsInThreeProcesses) {
  EXPECT_FALSE(evidence_of(way(true, {})));
  EXPECT_FALSE(evidence_of(way(true, {1, 1}))->is_enough());
  EXPECT_TRUE(evidence_of(way(true, {1, 1, 1}))->is_enough());
  Way one = way(true, {1, 1.01, 0.99});
  for (Timing& timing : one.processes) timing.quiet = 7;
  EXPECT_TRUE(evidence_of(one)->is_enough());
  one.processes.back().quiet = 5;
  EXPECT_FALSE(evidence_of(one)->is_enough());  // 19 runs.
  one.processes.front().quiet = 100;
  EXPECT_TRUE(evidence_of(one)->is_enough());
  one.processes.back().quiet = 4;
  EXPECT_FALSE(evidence_of(one)->is_enough());
  EXPECT_EQ(evidence_of(one)->quiet_processes, 2u);
}

TEST(Evidence, ALoudProcessDoesNotMoveTheMedian) {
  Way one = way(true, {1, 1.02, 0.98, 5, 6, 7, 8});
  for (std::size_t i = 3; i < 7; ++i) one.processes[i].quiet = 0;
  EXPECT_DOUBLE_EQ(evidence_of(one)->median, 1);
  EXPECT_NEAR(*evidence_of(one)->high, 1.02 * 1.01, 1e-12);
  EXPECT_EQ(evidence_of(one)->processes, 7u);
  EXPECT_EQ(evidence_of(one)->runs, 700u);
}

TEST(Evidence, AMedianFarAboveTheCpuTimeWasWaiting) {
  Way one = way(true, {1, 1, 1});
  for (Timing& timing : one.processes) timing.core_seconds = 0.6;
  EXPECT_FALSE(evidence_of(one)->is_enough());
  for (Timing& timing : one.processes) timing.core_seconds = 0.7;
  EXPECT_TRUE(evidence_of(one)->is_enough());
  // The kernel does not report the CPU time, or a delegate computes.
  for (Timing& timing : one.processes) timing.core_seconds = 0;
  EXPECT_TRUE(evidence_of(one)->is_enough());
  for (Timing& timing : one.processes) timing.core_seconds = 0.01;
  one.threads = 0;
  EXPECT_TRUE(evidence_of(one)->is_enough());
}

TEST(Evidence, IntervalsAreOverProcesses) {
  // NumPy and SciPy: binom.cdf(k - 1, n, 0.5) <= 0.025 for the largest k; n = 5 has none.
  const auto interval = [](std::size_t n) {
    Way one;
    for (std::size_t i = 1; i <= n; ++i) {
      Timing timing = quiet(static_cast<double>(i));
      timing.low = timing.high = timing.median;
      one.processes.push_back(timing);
    }
    const auto evidence = evidence_of(one);
    return std::pair(*evidence->low, *evidence->high);
  };
  using Pair = std::pair<double, double>;
  EXPECT_EQ(interval(3), Pair(1, 3));
  EXPECT_EQ(interval(5), Pair(1, 5));
  EXPECT_EQ(interval(6), Pair(1, 6));
  EXPECT_EQ(interval(8), Pair(1, 8));
  EXPECT_EQ(interval(9), Pair(2, 8));
  EXPECT_EQ(interval(11), Pair(2, 10));
  EXPECT_EQ(interval(12), Pair(3, 10));
  EXPECT_EQ(interval(20), Pair(6, 15));
}

TEST(Evidence, ModesAreToldWithTheirShares) {
  const auto modes =
      *evidence_of(way(true, {1.1e-3, 0.65e-3, 1.12e-3, 1.1e-3, 0.66e-3, 1.08e-3, 1.1e-3}, 2));
  EXPECT_DOUBLE_EQ(modes.median, 1.1e-3);
  EXPECT_EQ(modes_text(modes), "0.655 ms in 2 of 7 processes and 1.1 ms in 5 of 7");
  EXPECT_EQ(modes_text(*evidence_of(way(true, {1e-3, 1.05e-3, 1.1e-3}))), "1.05 ms");
  EXPECT_EQ(modes_text(*evidence_of(way(true, {1e-3, 2e-3, 3e-3, 4e-3}))), "1 ms to 4 ms");
  // One of four is an exception.
  EXPECT_EQ(modes_text(*evidence_of(way(true, {1e-3, 1e-3, 2e-3, 1e-3}))), "1 ms");
}

using Kind = Verdict::Kind;

TEST(Judge, TheUsualModeCountsAndNotTheLuckiest) {
  // Two threads, two of eight processes in the fast mode; a division that is faster than the usual
  // mode, and slower than the rare one.
  const Way pool = way(true, {0.65, 1.1, 1.12, 1.1, 0.66, 1.08, 1.1, 1.1, 1.1}, 2);
  const Verdict verdict = judge({way(true, {1.3, 1.3, 1.3}), pool, way(false, {0.53, 0.55, 0.52})});
  EXPECT_EQ(verdict.kind, Kind::kBranch);
  EXPECT_EQ(verdict.plain, 1u);
  const Verdict open = judge({way(true, {1.3, 1.3, 1.3}), pool, way(false, {0.8, 0.81, 0.82})});
  EXPECT_EQ(open.kind, Kind::kUndecided);
  EXPECT_TRUE(open.lacking.empty());
  EXPECT_EQ(open.open, (std::vector<std::size_t>{1, 2}));
  // With twelve processes, two thirds show the usual mode.
  const auto shares = [](std::size_t fast) {
    std::vector<double> medians(12, 1.1);
    std::fill_n(medians.begin(), fast, 0.65);
    return judge({way(true, medians, 2), way(false, {0.8, 0.81, 0.82})}).kind;
  };
  EXPECT_EQ(shares(7), Kind::kUndecided);
  EXPECT_EQ(shares(8), Kind::kDoNotBranch);
  EXPECT_EQ(shares(3), Kind::kUndecided);
  EXPECT_EQ(shares(2), Kind::kBranch);
}

TEST(Judge, AFewProcessesOfAPoolMayAllBeOfTheRareMode) {
  const auto lucky = [](std::size_t processes, double division) {
    return judge({way(true, {2, 2, 2}), way(true, std::vector<double>(processes, 0.65), 2),
                  way(false, {division, division, division})});
  };
  EXPECT_EQ(lucky(3, 0.8).kind, Kind::kUndecided);
  EXPECT_EQ(lucky(3, 0.8).lacking, std::vector<std::size_t>{1});
  EXPECT_EQ(lucky(7, 0.8).kind, Kind::kUndecided);
  EXPECT_EQ(lucky(8, 0.8).kind, Kind::kDoNotBranch);
  // A few processes of the slow mode prove no division either.
  EXPECT_EQ(judge({way(true, {1.1, 1.1, 1.1}, 2), way(false, {0.8, 0.8, 0.8})}).kind,
            Kind::kUndecided);
  // No mode is that far away.
  EXPECT_EQ(lucky(3, 1.2).kind, Kind::kDoNotBranch);
}

TEST(Judge, EveryWayThatMayBeTheFastestNeedsEvidence) {
  Way loud = way(true, {3, 2.5, 2.8, 4}, 2);
  for (Timing& timing : loud.processes) {
    timing.quiet = 2;
    timing.core_seconds = 1.6;
  }
  const Way one = way(true, {1, 1, 1}), division = way(false, {0.6, 0.6, 0.6});
  EXPECT_EQ(judge({one, loud, division}).kind, Kind::kUndecided);
  EXPECT_EQ(judge({one, loud, division}).lacking, std::vector<std::size_t>{1});
  // Its CPU time shows that it cannot be the fastest, however much of it is disturbance.
  for (Timing& timing : loud.processes) timing.core_seconds = 10;
  EXPECT_EQ(judge({one, loud, division}).kind, Kind::kBranch);
  // A division without evidence may be faster: no "do not branch". It changes no "branch".
  Way other = way(false, {0.9});
  EXPECT_EQ(judge({one, other}).kind, Kind::kUndecided);
  EXPECT_EQ(judge({one, other, division}).kind, Kind::kBranch);
  EXPECT_EQ(judge({one, way(false, {1.5, 1.5, 1.5})}).kind, Kind::kDoNotBranch);
  EXPECT_EQ(judge({one}).kind, Kind::kDoNotBranch);
}

TEST(Judge, ADivisionThatMayBeWorthwhileLeavesItOpen) {
  EXPECT_EQ(judge({way(true, {1, 1.01, 1.02}), way(false, {0.98, 0.99, 1})}).kind,
            Kind::kDoNotBranch);
  EXPECT_EQ(judge({way(true, {1, 1.01, 1.02}), way(false, {0.9, 0.99, 1.04})}).kind,
            Kind::kUndecided);
  EXPECT_EQ(judge({way(true, {1, 1.01, 1.02}), way(false, {0.9, 0.91, 0.92})}).kind, Kind::kBranch);
}

TEST(Judge, NothingThatRanIsUndecided) {
  EXPECT_EQ(judge({}).kind, Kind::kUndecided);
  EXPECT_EQ(judge({Way{}, way(false, {1, 1, 1})}).kind, Kind::kUndecided);
  EXPECT_FALSE(judge({Way{}}).plain);
}

/// A machine on which each way has its quiet times, and other programs disturb processes.
class Machine {
 public:
  struct Truth {
    bool plain;
    std::size_t threads;
    double usual, rare;  ///< Seconds of its modes, quiet.
    double share;        ///< Share of processes in the rare mode.
  };
  Machine(std::vector<Truth> truths, double load, unsigned seed)
      : truths_(std::move(truths)), load_(load), random_(seed) {
    for (const Truth& truth : truths_) ways_.push_back(way(truth.plain, {}, truth.threads));
  }

  /// Answer of a search with these rounds.
  Kind search(std::size_t rounds) {
    const auto measure = [&](std::size_t index) -> Status {
      ways_[index].processes.push_back(process(truths_[index]));
      return {};
    };
    EXPECT_TRUE(measure_rounds(
        rounds, [&] { return ways_; }, measure, [](std::size_t) {}));
    return judge(ways_).kind;
  }
  const std::vector<Way>& ways() const { return ways_; }

 private:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  Timing process(const Truth& truth) {
    const double mode = uniform() < truth.share ? truth.rare : truth.usual;
    double median = mode * (1 + 0.015 * std::normal_distribution<double>()(random_));
    Timing timing = quiet(median, truth.threads);
    // Several threads need several free CPUs.
    const double disturbed = 1 - std::pow(1 - load_, static_cast<double>(truth.threads));
    if (uniform() < disturbed) {
      // Quiet runs of a loud process are still slowed through caches and the memory.
      const double kind = uniform();
      timing.runs = 1 + static_cast<std::size_t>(60 * uniform());
      timing.quiet =
          kind < 0.5 ? 0
                     : std::min<std::size_t>(timing.runs, static_cast<std::size_t>(12 * uniform()));
      median *=
          timing.quiet >= kFewestOfProcess ? 1 + 0.15 * uniform() : 1 + 6 * uniform() * uniform();
      timing.median = median;
      timing.low = median * (1 - 0.05 * uniform());
      timing.high = median * (1 + 0.2 * uniform());
      timing.core_seconds *= 1 + uniform();
    }
    return timing;
  }

  std::vector<Truth> truths_;
  double load_;
  std::mt19937 random_;
  std::vector<Way> ways_;
};

struct Answers {
  int branch = 0, do_not = 0, undecided = 0;
};
Answers answers(const std::vector<Machine::Truth>& truths, double load, std::size_t rounds,
                int searches) {
  Answers sum;
  for (int seed = 1; seed <= searches; ++seed)
    switch (Machine(truths, load, static_cast<unsigned>(seed)).search(rounds)) {
      case Kind::kBranch: ++sum.branch; break;
      case Kind::kDoNotBranch: ++sum.do_not; break;
      case Kind::kUndecided: ++sum.undecided; break;
    }
  return sum;
}

const std::vector<Machine::Truth> kBranches{
    {true, 1, 1, 1, 0}, {true, 2, 0.9, 0.6, 0.2}, {false, 2, 0.55, 0.55, 0}},
    kDoesNot{{true, 1, 1, 1, 0}, {true, 2, 0.65, 0.95, 0.3}, {false, 2, 0.8, 0.8, 0}},
    kPlain{{true, 1, 0.5, 0.5, 0},
           {true, 2, 0.7, 0.6, 0.3},
           {false, 2, 0.6, 0.6, 0},
           {false, 2, 0.56, 0.5, 0.2}};

TEST(LoudMachine, NoAnswerOfTwoHundredSearchesContradictsTheQuietTruth) {
  for (const double load : {0.0, 0.2, 0.5, 0.8, 1.0}) {
    for (const std::size_t rounds : {1u, 3u}) {
      EXPECT_EQ(answers(kBranches, load, rounds, 200).do_not, 0) << load;
      EXPECT_EQ(answers(kDoesNot, load, rounds, 200).branch, 0) << load;
      EXPECT_EQ(answers(kPlain, load, rounds, 200).branch, 0) << load;
    }
  }
}

TEST(LoudMachine, AQuietMachineAnswersAndAHopelessOneDoesNot) {
  EXPECT_EQ(answers(kBranches, 0, 3, 200).branch, 200);
  EXPECT_EQ(answers(kPlain, 0, 3, 200).do_not, 200);
  EXPECT_GT(answers(kDoesNot, 0, 3, 200).do_not, 100);
  EXPECT_GT(answers(kBranches, 0.2, 3, 200).branch, 100);
  EXPECT_GT(answers(kPlain, 1, 3, 200).undecided, 150);
}

TEST(LoudMachine, MoreProcessesAreStartedOnlyWhereTheyMayHelp) {
  Machine quiet_machine(kPlain, 0, 1);
  quiet_machine.search(3);
  EXPECT_EQ(quiet_machine.ways()[0].processes.size(), 3u);
  std::size_t most = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Machine loud(kBranches, 1, seed);
    loud.search(3);
    for (const Way& one : loud.ways()) most = std::max(most, one.processes.size());
  }
  EXPECT_LE(most, most_of(3));
  // Without a single quiet run, a search gives up.
  std::vector<Way> ways{way(true, {}), way(false, {}, 2)};
  const auto measure = [&](std::size_t index) -> Status {
    Timing timing = quiet(1);
    timing.quiet = 0;
    ways[index].processes.push_back(timing);
    return {};
  };
  ASSERT_TRUE(measure_rounds(
      3, [&] { return ways; }, measure, [](std::size_t) {}));
  EXPECT_LE(ways[0].processes.size(), 6u);
  // Nor are processes started for a pool that cannot have enough of them.
  Machine few(kDoesNot, 0, 1);
  EXPECT_EQ(few.search(1), Kind::kUndecided);
  for (const Way& one : few.ways()) EXPECT_LE(one.processes.size(), 3u);
}

}  // namespace
}  // namespace edgeprobe::placement
