// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "protocol/message.h"

namespace edgeprobe::serve {

/// A request, and when it was whole.
struct Work {
  protocol::Message message;
  std::chrono::steady_clock::time_point came;
};

/// Requests of our own client between the thread that reads them and the one that works them off.
/// Bounded: a client that sends faster than the engine runs waits at its socket.
class WorkQueue {
 public:
  /// Waits while too much is queued. False once the queue is closed.
  bool push(protocol::Message message);
  /// The next one, and from then on the worker is busy until it asks again; nothing once the queue
  /// is closed and empty.
  std::optional<Work> pop();
  /// Nothing is queued and the worker waits for more.
  bool is_idle();
  /// Until nothing is queued and the worker waits for more; false once the queue is closed.
  bool wait_until_idle();
  /// Requests that are queued are still given out.
  void close();
  /// Those that are queued are dropped.
  void abandon();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;
  std::uint64_t bytes_ = 0;
  bool busy_ = false;
  bool closed_ = false;
};

}  // namespace edgeprobe::serve
