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

/// Requests between the thread that reads them and the thread that works them off. Bounded: a
/// client that sends faster than the engine runs waits at its socket.
class WorkQueue {
 public:
  /// Waits while too much is queued. False once the queue is closed.
  bool push(protocol::Message message);
  /// The next one, and from then on the worker is busy until it asks again; nothing once the queue
  /// is closed and empty.
  std::optional<Work> pop();
  /// Whether a request is there, or comes within `limit`.
  bool wait_for_next(std::chrono::milliseconds limit);
  /// Nothing is queued and the worker waits.
  bool is_idle();
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
