// SPDX-License-Identifier: Apache-2.0
// The time until one processor learns that another has finished: our flag while both spin and while
// the waiting one sleeps, next to a mutex with a condition variable. Round trips between two pinned
// threads, alternating; half a round trip is one hand-over.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/cpu_affinity.h"
#include "engine/stretch/flag.h"

namespace {

using Clock = std::chrono::steady_clock;
using edgeprobe::engine::CpuPin;
using edgeprobe::engine::stretch::Flag;
constexpr int kRounds = 40, kTrips = 500;

/// A way to publish a number and to wait for one.
struct Flags {
  std::chrono::nanoseconds spin;
  Flag there, back;
  void say(bool forth, std::uint32_t n) { (forth ? there : back).set(n); }
  void wait(bool forth, std::uint32_t n) { (forth ? there : back).wait(n, spin); }
};

struct Condition {
  std::mutex lock;
  std::condition_variable changed;
  std::uint32_t value[2] = {0, 0};
  void say(bool forth, std::uint32_t n) {
    {
      const std::lock_guard guard(lock);
      value[forth] = n;
    }
    changed.notify_all();
  }
  void wait(bool forth, std::uint32_t n) {
    std::unique_lock guard(lock);
    changed.wait(guard, [&] { return value[forth] >= n; });
  }
};

/// Microseconds of each hand-over, half a round trip.
template <class Way>
std::vector<double> trips(Way& way, const std::vector<int>& cpus) {
  std::vector<double> times;
  std::thread other([&] {
    CpuPin pin;
    if (!pin.to({cpus[1]})) std::abort();
    for (std::uint32_t n = 1; n <= kTrips; ++n) {
      way.wait(true, n);
      way.say(false, n);
    }
  });
  {
    CpuPin pin;
    if (!pin.to({cpus[0]})) std::abort();
    for (std::uint32_t n = 1; n <= kTrips; ++n) {
      const auto begin = Clock::now();
      way.say(true, n);
      way.wait(false, n);
      times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / 2);
    }
  }
  other.join();
  return times;
}

void print(const char* name, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  std::printf("%-34s %8.3f us  (p10 %.3f, p90 %.3f)\n", name, at(0.5), at(0.1), at(0.9));
}

}  // namespace

int main() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mine)) cpus.push_back(cpu);
  if (cpus.size() < 2) {
    std::puts("one CPU: there is nobody to hand over to");
    return 0;
  }
  std::vector<double> spinning, asleep, condition;
  for (int round = 0; round < kRounds; ++round) {
    Flags spin{std::chrono::milliseconds(50), {}, {}}, sleep{std::chrono::nanoseconds(0), {}, {}};
    Condition plain;
    for (auto& [all, some] :
         {std::pair(&spinning, trips(spin, cpus)), std::pair(&asleep, trips(sleep, cpus)),
          std::pair(&condition, trips(plain, cpus))})
      all->insert(all->end(), some.begin(), some.end());
  }
  print("flag, both spin", std::move(spinning));
  print("flag, the waiting one sleeps", std::move(asleep));
  print("mutex and condition variable", std::move(condition));
}
