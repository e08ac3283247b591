// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace edgeprobe::trace {

/// Wakes the thread that writes a file once there is enough to write. Thread-safe; one thread
/// waits.
class Alarm {
 public:
  struct Call {
    bool all = false;  ///< Also write less than a full chunk.
    bool stop = false;
  };

  void ring(bool all) {
    {
      const std::lock_guard lock(mutex_);
      is_ringing_.store(true, std::memory_order_relaxed);
      call_.all |= all;
    }
    rung_.notify_one();
  }
  /// The alarm rang and the thread has not reacted yet. A hint, without a lock.
  bool is_ringing() const { return is_ringing_.load(std::memory_order_relaxed); }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      call_.stop = true;
    }
    rung_.notify_one();
  }
  /// Returns when the alarm rings, after stop(), or after `longest`.
  Call wait_for(std::chrono::steady_clock::duration longest) {
    std::unique_lock lock(mutex_);
    rung_.wait_for(lock, longest, [&] { return is_ringing() || call_.stop; });
    is_ringing_.store(false, std::memory_order_relaxed);
    Call call = std::exchange(call_, Call{false, call_.stop});
    call.all |= call.stop;
    return call;
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  std::atomic<bool> is_ringing_{false};
  Call call_;  // guarded by mutex_
};

}  // namespace edgeprobe::trace
