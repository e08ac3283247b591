// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <vector>

namespace edgeprobe::placement {

/// Finds moments when nothing else runs on some CPUs: a sleeping thread on each of them answers
/// immediately when woken, unless another program occupies that CPU.
class Ping {
 public:
  /// Skips a CPU that a thread cannot be pinned to.
  explicit Ping(const std::vector<int>& cpus);
  Ping(const Ping&) = delete;
  Ping& operator=(const Ping&) = delete;
  ~Ping();

  /// Polls all CPUs, with pauses, until all answer quickly or `patience` is over; returns whether
  /// they did. Quickly: within kQuick, or three times the fastest answer so far on this machine,
  /// for CPUs in deep sleep.
  bool wait_for_quiet(std::chrono::nanoseconds patience);
  static constexpr std::chrono::microseconds kQuick{75};

 private:
  class Answerer;
  std::vector<std::unique_ptr<Answerer>> answerers_;
  std::chrono::nanoseconds quickest_ = std::chrono::nanoseconds::max();
};

/// During its lifetime, the calling thread and all threads and processes that it starts request
/// longer time slices (kTurn, the kernel's default is 3 ms). This does not raise their share of the
/// CPU, but fewer runs are interrupted. Linux 6.12 and later; no effect on others, nor under a
/// real-time policy.
class LongTurns {
 public:
  static constexpr unsigned kTurn = 30'000'000;  ///< Nanoseconds.

  LongTurns();
  LongTurns(const LongTurns&) = delete;
  LongTurns& operator=(const LongTurns&) = delete;
  ~LongTurns();

 private:
  bool asked_ = false;
};

}  // namespace edgeprobe::placement
