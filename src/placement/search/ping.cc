// SPDX-License-Identifier: Apache-2.0
#include "placement/search/quiet.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "engine/cpu_affinity.h"

namespace edgeprobe::placement {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds kRest{200};

}  // namespace

class Ping::Answerer {
 public:
  explicit Answerer(int cpu)
      : thread_([this, cpu] {
          // 0: the calling thread.
          const bool pinned = engine::pin_thread(0, {cpu}).has_value();
          answer(pinned);
        }) {}
  ~Answerer() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void ask() {
    {
      const std::lock_guard lock(mutex_);
      ++asked_;
    }
    changed_.notify_all();
  }
  /// True if it answered before `end`.
  bool wait(Clock::time_point end) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, end, [&] { return is_deaf_ || answered_ == asked_; });
  }

 private:
  void answer(bool pinned) {
    std::unique_lock lock(mutex_);
    is_deaf_ = !pinned;
    changed_.notify_all();
    while (!ends_) {
      if (answered_ != asked_) {
        answered_ = asked_;
        changed_.notify_all();
      }
      changed_.wait(lock, [&] { return ends_ || answered_ != asked_; });
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0, answered_ = 0;
  bool ends_ = false;
  bool is_deaf_ = false;  ///< The thread could not be pinned to its CPU.
  std::thread thread_;    // Last member: it uses the others.
};

Ping::Ping(const std::vector<int>& cpus) {
  for (const int cpu : cpus) answerers_.push_back(std::make_unique<Answerer>(cpu));
}

Ping::~Ping() = default;

bool Ping::wait_for_quiet(std::chrono::nanoseconds patience) {
  const auto end = Clock::now() + patience;
  while (true) {
    const auto asked = Clock::now();
    if (asked > end) return false;  // Else an answer may arrive before the wait begins.
    for (const auto& answerer : answerers_) answerer->ask();
    bool all = true;
    for (const auto& answerer : answerers_) all = answerer->wait(end) && all;
    const auto now = Clock::now();
    const std::chrono::nanoseconds took = now - asked;
    if (all) quickest_ = std::min(quickest_, took);
    if (all && took <= std::max<std::chrono::nanoseconds>(kQuick, 3 * quickest_)) return true;
    if (now >= end) return false;
    std::this_thread::sleep_for(kRest);
  }
}

}  // namespace edgeprobe::placement
