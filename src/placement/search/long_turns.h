// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace edgeprobe::placement {

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
