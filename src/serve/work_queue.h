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

/// A request, and when it was complete.
struct Work {
  protocol::Message message;
  std::chrono::steady_clock::time_point came;
};

/// Queue of our own client's requests between the reading and the working thread. Bounded: a client
/// that sends faster than the engine runs waits at its socket.
class WorkQueue {
 public:
  /// Waits while too much is queued. False once the queue is closed.
  bool push(protocol::Message message);
  /// The next request; the worker counts as busy until it calls again. Empty once the queue is
  /// closed and drained.
  std::optional<Work> pop();
  /// True if nothing is queued and the worker waits.
  bool is_idle();
  /// Waits until nothing is queued and the worker waits; false once the queue is closed.
  bool wait_until_idle();
  /// Closes the queue; pop() still returns the queued requests.
  void close();
  /// Closes the queue and drops the queued requests.
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
