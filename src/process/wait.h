// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <initializer_list>

#include "process/output.h"

namespace edgeprobe::process {

using Clock = std::chrono::steady_clock;
inline constexpr Clock::time_point kForever = Clock::time_point::max();
/// `limit` from now; capped at a year, so that it does not overflow the clock.
Clock::time_point deadline_after(std::chrono::milliseconds limit);

/// How long to wait for another process, and what to observe meanwhile.
struct Wait {
  Clock::time_point deadline = kForever;
  /// Ends the wait once it is true. Noticed within 200 ms, even by a thread that receives no
  /// signal.
  const std::atomic<bool>* stop = nullptr;
  /// Output of a child, read during the wait so that a child that prints does not block.
  Output* beside = nullptr;
  /// How long the result may still arrive after `stop` was noticed.
  std::chrono::milliseconds grace{0};
  /// A connection (-1: none) whose other end must stay open: kStopped once it has closed or broken.
  int other_end = -1;
  /// A descriptor of a process, from pidfd_open (-1: none): kClosed once it has ended, although
  /// processes that it forked may hold its connection open.
  int process = -1;
};

/// Becomes true when the user stops this program; null if there is no stop flag. main() sets it
/// once, before threads exist. For waits without a caller's `stop`, such as opening a remote
/// connection.
inline const std::atomic<bool>* program_stop = nullptr;
inline bool is_program_stopped() {
  return program_stop && program_stop->load(std::memory_order_relaxed);
}

/// Result of waiting, sending or receiving.
enum class Transfer {
  kDone,
  kClosed,   ///< The other side closed the connection.
  kLate,     ///< The deadline passed and nothing was ready.
  kStopped,  ///< `stop` became true, or `other_end` closed.
};

/// Waits until `fd` is ready for `events` (as in poll). Readiness at the deadline still counts.
Transfer wait_for(int fd, short events, const Wait& wait);

/// Reads all outputs until they are closed. `waiting` is called about once a second.
Transfer read_to_end(std::initializer_list<Output*> outputs, const Wait& wait,
                     const std::function<void()>& waiting = {});

}  // namespace edgeprobe::process
