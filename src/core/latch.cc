// SPDX-License-Identifier: Apache-2.0
#include "core/latch.h"

#include <sched.h>
#include <time.h>

#include <algorithm>

namespace edgeprobe {

void Latch::wait() {
  constexpr int kTries = 100, kYields = 10;
  long sleep_ns = 20'000;
  for (int tries = 0;
       taken_.load(std::memory_order_relaxed) || taken_.exchange(true, std::memory_order_acquire);
       ++tries) {
    if (tries < kTries) continue;
    if (tries < kTries + kYields) {
      ::sched_yield();
      continue;
    }
    const timespec pause{0, sleep_ns};
    ::nanosleep(&pause, nullptr);
    sleep_ns = std::min(2 * sleep_ns, 200'000L);
  }
}

}  // namespace edgeprobe
