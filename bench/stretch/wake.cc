// SPDX-License-Identifier: Apache-2.0
// An inference of two lanes with the copy of its inputs, at several gaps between inferences: with
// the other lane's thread woken before the copy, and without. Pieces only spin, so that the time
// beyond theirs is that of the hand-overs and the copy. Medians and 10th percentiles in us.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "engine/stretch/runner.h"

namespace {

using Clock = std::chrono::steady_clock;
using edgeprobe::Status;
using edgeprobe::engine::stretch::Runner;
using edgeprobe::engine::stretch::Work;
using edgeprobe::stretch::Step;
constexpr int kTurns = 3, kSeconds = 1;
constexpr std::size_t kInput = 250'000;

void spin(std::chrono::microseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
  }
}

/// A piece that takes this long.
class Spinning final : public edgeprobe::engine::Binding {
 public:
  explicit Spinning(std::chrono::microseconds time) : time_(time) {}
  Status run() override {
    spin(time_);
    return {};
  }
  std::uint64_t copied() const override { return 0; }

 private:
  std::chrono::microseconds time_;
};

/// Microseconds of each inference with its copy.
std::vector<double> measure(Runner& runner, std::chrono::microseconds gap, bool wakes) {
  const std::vector<char> from(kInput, 1);
  std::vector<char> to(kInput);
  std::vector<double> times;
  const auto end = Clock::now() + std::chrono::seconds(kSeconds);
  while (Clock::now() < end) {
    const auto start = Clock::now();
    if (wakes) runner.wake();
    std::memcpy(to.data(), from.data(), kInput);
    asm volatile("" ::"r"(to.data()) : "memory");
    if (!runner.run()) return {};
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    if (gap < std::chrono::milliseconds(1)) {
      spin(gap);
      continue;
    }
    const timespec pause{0, static_cast<long>(gap.count()) * 1000};
    ::nanosleep(&pause, nullptr);
  }
  return times;
}

}  // namespace

int main() {
  using std::chrono::microseconds;
  Spinning first(microseconds(40)), second(microseconds(40)), last(microseconds(10));
  std::printf("gap us   woken before the copy   not\n");
  for (const int gap : {20, 100, 200, 2000})
    for (int turn = 0; turn < kTurns; ++turn) {
      std::printf("%6d", gap);
      for (const bool wakes : {true, false}) {
        Work work;
        work.lanes.push_back(
            {{{Step::Kind::kRun, 0}, {Step::Kind::kWait, 0}, {Step::Kind::kRun, 2}}, {0}});
        work.lanes.push_back({{{Step::Kind::kRun, 1}, {Step::Kind::kSignal, 0}}, {1}});
        work.flags = 1;
        work.pieces = {&first, &second, &last};
        work.sentences = {"first", "second", "last"};
        auto runner = Runner::start(std::move(work));
        auto times = runner ? measure(**runner, microseconds(gap), wakes) : std::vector<double>();
        if (times.empty()) return 1;
        std::sort(times.begin(), times.end());
        std::printf("   %8.1f %8.1f", times[times.size() / 2], times[times.size() / 10]);
      }
      std::printf("\n");
    }
}
