// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace edgeprobe::trace {

/// How fast a queue fills, and so how long its consumer may sleep: waking a thread costs an
/// application more than the rest of the call, so the thread wakes by itself before it is needed.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = std::chrono::nanoseconds;
  static constexpr Time kShortest = std::chrono::milliseconds(1),
                        kFirst = std::chrono::milliseconds(10);

  /// `pushed` messages so far, `pending` of them waiting. Time until `enough` wait, at the rate
  /// since the last call or half the rate before, whichever is larger; grows at most fourfold per
  /// call.
  Time until(Clock::time_point now, std::uint64_t pushed, std::uint64_t pending,
             std::uint64_t enough) {
    const double passed = std::chrono::duration<double>(now - last_look_).count(),
                 more = static_cast<double>(pushed - last_pushed_);
    if (is_new_) rate_ = 0;
    else if (passed > 0) rate_ = std::max(more / passed, rate_ / 2);
    is_new_ = false;
    last_look_ = now;
    last_pushed_ = pushed;
    const double left = pending < enough ? static_cast<double>(enough - pending) : 0;
    const double most = std::chrono::duration<double>(4 * last_sleep_).count(),
                 seconds = rate_ > 0 ? std::min(left / rate_, most) : most;
    last_sleep_ = std::max(
        kShortest, std::chrono::duration_cast<Time>(std::chrono::duration<double>(seconds)));
    return last_sleep_;
  }
  /// Forgets the rate: after a pause.
  void start_anew() { *this = Pace(); }

 private:
  bool is_new_ = true;
  Clock::time_point last_look_{};
  std::uint64_t last_pushed_ = 0;
  double rate_ = 0;
  Time last_sleep_ = kFirst / 4;
};

}  // namespace edgeprobe::trace
