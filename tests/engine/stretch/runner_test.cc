// SPDX-License-Identifier: Apache-2.0
// The threads of a runner over stand-in pieces that compute integers, so that the thread sanitizer
// sees every access to what they hand on.
#include "engine/stretch/runner.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <random>

#include "engine/stretch/flag.h"

namespace edgeprobe::engine::stretch {
namespace {

using edgeprobe::stretch::Step;
using Action = edgeprobe::stretch::Schedule::Action;

/// CPUs that this process may use.
std::vector<int> cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> list;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) list.push_back(cpu);
  return list;
}

/// A piece instead of a session: sums its inputs after a delay that the runner cannot know.
class StandInPiece final : public Binding {
 public:
  StandInPiece(std::vector<long*> inputs, long* output, long plus, unsigned seed)
      : inputs_(std::move(inputs)), output_(output), plus_(plus), random_(seed) {}

  Status run() override {
    switch (random_() % 8) {
      case 0: std::this_thread::sleep_for(std::chrono::microseconds(random_() % 120)); break;
      case 1: std::this_thread::yield(); break;
      default:
        for (auto left = random_() % 400; left > 0; --left)
          std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    long sum = plus_;
    for (const long* const input : inputs_) sum += *input;
    *output_ = sum;
    if (fails_) return Error{ErrorKind::kTarget, "stand-in failure"};
    if (throws_) throw std::runtime_error("stand-in exception");
    cpu_.store(sched_getcpu());
    return {};
  }
  std::uint64_t copied() const override { return 0; }

  bool fails_ = false, throws_ = false;
  std::atomic<int> cpu_{-1};

 private:
  std::vector<long*> inputs_;
  long* output_;
  long plus_;
  std::mt19937 random_;
};

Action run(std::size_t piece) { return {Step::Kind::kRun, piece}; }
Action set(std::size_t flag) { return {Step::Kind::kSignal, flag}; }
Action wait(std::size_t flag) { return {Step::Kind::kWait, flag}; }

/// Two lanes that each need the other's result twice: a | b, c reads both, d reads b and c.
struct Crossing {
  long input = 0, a = 0, b = 0, c = 0, d = 0;
  StandInPiece pa{{&input}, &a, 1, 1}, pb{{&input}, &b, 10, 2}, pc{{&a, &b}, &c, 100, 3},
      pd{{&b, &c}, &d, 1000, 4};

  Work work() {
    const std::vector<int> all = cpus();
    Work work;
    work.lanes.push_back({{run(0), wait(0), run(2), set(1)}, {all.front()}});
    work.lanes.push_back({{run(1), set(0), wait(1), run(3)}, {all.back()}});
    work.flags = 2;
    work.pieces = {&pa, &pb, &pc, &pd};
    work.sentences = {"piece 'a'", "piece 'b'", "piece 'c'", "piece 'd'"};
    return work;
  }
  static long expected(long input) { return 2 * (input + 10) + (input + 1) + 1100; }
};

TEST(Runner, WhatPiecesHandOnIsThereWhateverTheirSpeed) {
  Crossing crossing;
  auto runner = Runner::start(crossing.work());
  ASSERT_TRUE(runner) << runner.error().what;
  for (long i = 0; i < 10'000; ++i) {
    crossing.input = i;
    crossing.a = crossing.b = crossing.c = crossing.d = -1'000'000;  // Like NaN in an arena.
    ASSERT_TRUE((*runner)->run());
    ASSERT_EQ(crossing.d, Crossing::expected(i)) << i;
  }
}

TEST(Runner, WakingBeforeAnInferenceChangesNoResult) {
  Crossing crossing;
  auto runner = Runner::start(crossing.work());
  ASSERT_TRUE(runner) << runner.error().what;
  std::mt19937 random(5);
  for (long i = 0; i < 2'000; ++i) {
    // Sometimes twice, sometimes long before the inference or not at all.
    for (auto times = random() % 3; times > 0; --times) (*runner)->wake();
    if (i % 40 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 1500));
    crossing.input = i;
    crossing.a = crossing.b = crossing.c = crossing.d = -1'000'000;
    ASSERT_TRUE((*runner)->run());
    ASSERT_EQ(crossing.d, Crossing::expected(i)) << i;
  }
  (*runner)->wake();  // No inference follows: the runner still ends.
}

TEST(Runner, ThreadsAreOnTheirCpusAndTheCallersMaskIsItsOwn) {
  const std::vector<int> all = cpus();
  if (all.size() < 2) GTEST_SKIP() << "one CPU: there is no other one to be on";
  Crossing crossing;
  auto runner = Runner::start(crossing.work());
  ASSERT_TRUE(runner) << runner.error().what;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE((*runner)->run());
  EXPECT_EQ(crossing.pa.cpu_.load(), all.front());
  EXPECT_EQ(crossing.pd.cpu_.load(), all.back());
  EXPECT_EQ(cpus(), all);
}

TEST(Runner, AFailureEndsTheRestAndNamesThePieceAndTheNextRunIsGood) {
  Crossing crossing;
  auto runner = Runner::start(crossing.work());
  ASSERT_TRUE(runner) << runner.error().what;
  for (int round = 0; round < 50; ++round)
    for (StandInPiece* const piece : {&crossing.pa, &crossing.pb, &crossing.pc, &crossing.pd}) {
      (round % 2 ? piece->fails_ : piece->throws_) = true;
      const auto failed = (*runner)->run();
      ASSERT_FALSE(failed);
      EXPECT_NE(failed.error().what.find(round % 2 ? ": stand-in failure" : ": stand-in exception"),
                std::string::npos);
      EXPECT_EQ(failed.error().what.find("piece '"), 0u);
      piece->fails_ = piece->throws_ = false;
      crossing.input = round;
      ASSERT_TRUE((*runner)->run());
      ASSERT_EQ(crossing.d, Crossing::expected(round));
    }
}

TEST(Runner, SpansAreOrderedAsThePlanOrdersThem) {
  Crossing crossing;
  auto runner = Runner::start(crossing.work());
  ASSERT_TRUE(runner) << runner.error().what;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE((*runner)->run());
    const auto& spans = (*runner)->spans();
    const auto end = [&](std::size_t piece) { return spans[piece].start + spans[piece].time; };
    EXPECT_GE(spans[2].start, end(0));
    EXPECT_GE(spans[2].start, end(1));
    EXPECT_GE(spans[3].start, end(2));
    EXPECT_GE((*runner)->latency(), end(3));
  }
}

TEST(Runner, AnEmulatedSlowProcessorTakesItsTime) {
  Crossing crossing;
  Work work = crossing.work();
  work.lanes[1].slowdown = 50;
  auto runner = Runner::start(std::move(work));
  ASSERT_TRUE(runner) << runner.error().what;
  crossing.input = 7;
  ASSERT_TRUE((*runner)->run());
  EXPECT_EQ(crossing.d, Crossing::expected(7));
  EXPECT_GE((*runner)->latency(), (*runner)->spans()[1].time);
}

TEST(Runner, ACpuThatIsNotThereIsRefused) {
  Crossing crossing;
  Work work = crossing.work();
  work.lanes[1].cpus = {CPU_SETSIZE - 1};
  const auto runner = Runner::start(std::move(work));
  ASSERT_FALSE(runner);
  EXPECT_NE(runner.error().what.find("CPU 1023"), std::string::npos) << runner.error().what;
}

TEST(Flag, NumbersGoRound) {
  Flag flag;
  flag.set(0xfffffffe);
  EXPECT_TRUE(flag.is_set(0xfffffffe));
  EXPECT_FALSE(flag.is_set(1));
  flag.set(1);
  EXPECT_TRUE(flag.is_set(0xffffffff));
  EXPECT_TRUE(flag.is_set(1));
}

}  // namespace
}  // namespace edgeprobe::engine::stretch
