// SPDX-License-Identifier: Apache-2.0
// How measurements get along with other programs: answers of CPUs, and longer turns.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "placement/search/quiet.h"

namespace edgeprobe::placement {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// The first CPU that this process may use.
int own_cpu() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mine)) return cpu;
  return 0;
}

/// sched_attr::sched_runtime of the calling thread; empty if the kernel does not report it.
std::optional<std::uint64_t> own_turn() {
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } attributes{};
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return std::nullopt;
  return attributes.runtime;
}

TEST(Ping, AFreeCpuAnswersQuickly) {
  Ping ping({own_cpu()});
  EXPECT_TRUE(ping.wait_for_quiet(30s));
  EXPECT_TRUE(ping.wait_for_quiet(30s));
}

TEST(Ping, ACpuThatIsNotHadIsNotAskedFor) {
  const auto begin = Clock::now();
  EXPECT_TRUE(Ping({1000}).wait_for_quiet(30s));
  EXPECT_TRUE(Ping({}).wait_for_quiet(30s));
  EXPECT_LT(Clock::now() - begin, 30s);
}

TEST(Ping, PatienceEnds) {
  Ping ping({own_cpu()});
  const auto begin = Clock::now();
  // Nothing can answer before the time limit.
  EXPECT_FALSE(ping.wait_for_quiet(-1ms));
  EXPECT_LT(Clock::now() - begin, 30s);
}

TEST(LongTurns, AreThoseOfThreadsThatStartMeanwhileAndEndWithIt) {
  const auto before = own_turn();
  if (!before) GTEST_SKIP() << "this kernel has no sched_getattr";
  {
    const LongTurns turns;
    const auto own = own_turn();
    if (own == before) GTEST_SKIP() << "this kernel gives no turns of another length (before 6.12)";
    EXPECT_EQ(own, LongTurns::kTurn);
    std::optional<std::uint64_t> inside;
    std::thread([&] { inside = own_turn(); }).join();
    EXPECT_EQ(inside, LongTurns::kTurn);
  }
  EXPECT_EQ(own_turn(), before);
}

}  // namespace
}  // namespace edgeprobe::placement
