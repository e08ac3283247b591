#include "probe/fork.h"

#include <pthread.h>

#include <atomic>

namespace edgeprobe::probe {
namespace {

// A process has one depth; this is the only state outside of a probe.
std::atomic<std::uint32_t> depth{0};

}  // namespace

std::uint32_t fork_depth() { return depth.load(std::memory_order_relaxed); }

bool watch_forks() {
  static const bool watches =
      ::pthread_atfork(nullptr, nullptr, [] { depth.fetch_add(1, std::memory_order_relaxed); }) == 0;
  return watches;
}

}  // namespace edgeprobe::probe
