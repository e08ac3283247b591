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

}  // namespace edgeprobe::placement
