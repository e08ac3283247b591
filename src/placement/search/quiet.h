// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <vector>

namespace edgeprobe::placement {

/// Finds moments at which nothing else runs on some CPUs: a sleeping thread on each of them that
/// answers at once when it is woken. Other programs that have a CPU then make it wait.
class Ping {
 public:
  /// A CPU that a thread cannot be kept on is not asked.
  explicit Ping(const std::vector<int>& cpus);
  Ping(const Ping&) = delete;
  Ping& operator=(const Ping&) = delete;
  ~Ping();

  /// Asks all CPUs, again and again with rests between, until all answer quickly or `patience` is
  /// over; whether they did. Quickly: within kQuick, or three times the quickest answer of this
  /// machine so far, where CPUs sleep deeply.
  bool wait_for_quiet(std::chrono::nanoseconds patience);
  static constexpr std::chrono::microseconds kQuick{75};

 private:
  class Answerer;
  std::vector<std::unique_ptr<Answerer>> answerers_;
  std::chrono::nanoseconds quickest_ = std::chrono::nanoseconds::max();
};

/// While it lives, the calling thread and all threads and processes that it starts ask the kernel
/// for longer turns on a CPU (kTurn, where the kernel's own are 3 ms): they get no larger share of
/// it beside other programs, but fewer of their runs are cut in two. Linux 6.12 and later; nothing
/// happens on others, nor under a real-time policy.
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
