// SPDX-License-Identifier: Apache-2.0
#include "probe/fork.h"

#include <pthread.h>

namespace edgeprobe::probe {

std::atomic<std::uint32_t> depth_of_forks{0};

bool watch_forks() {
  static const bool watches = ::pthread_atfork(nullptr, nullptr, [] {
                                depth_of_forks.fetch_add(1, std::memory_order_relaxed);
                              }) == 0;
  return watches;
}

}  // namespace edgeprobe::probe
