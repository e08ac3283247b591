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
/// `limit` from now; a limit of centuries is a year, for it must not overflow the clock.
Clock::time_point deadline_after(std::chrono::milliseconds limit);

/// How long to wait for another process, and what else to look at meanwhile.
struct Wait {
  Clock::time_point deadline = kForever;
  /// Seen within 200 ms, also by a thread that gets no signal.
  const std::atomic<bool>* stop = nullptr;
  /// Read meanwhile, so that a child that prints is not held up.
  Output* beside = nullptr;
  /// How long what is waited for may still come once `stop` was seen.
  std::chrono::milliseconds grace{0};
  /// A connection (-1: none) whose other end must be there: kStopped once it has closed or broken.
  int other_end = -1;
};

/// Becomes true when the user stops this program; null where nothing says so. main() sets it once,
/// before there are threads. For waits that no caller gives a `stop`: opening what is far away.
inline const std::atomic<bool>* program_stop = nullptr;
inline bool is_program_stopped() {
  return program_stop && program_stop->load(std::memory_order_relaxed);
}

/// What became of waiting, sending or receiving.
enum class Transfer {
  kDone,
  kClosed,   ///< The other side is gone.
  kLate,     ///< The deadline passed and nothing was ready.
  kStopped,  ///< `stop` became true, or `other_end` is gone.
};

/// Waits until `fd` is ready for `events` (of poll). What is ready at the deadline is still taken.
Transfer wait_for(int fd, short events, const Wait& wait);

/// Reads all outputs to their ends. `waiting` is called about once a second.
Transfer read_to_end(std::initializer_list<Output*> outputs, const Wait& wait,
                     const std::function<void()>& waiting = {});

}  // namespace edgeprobe::process
