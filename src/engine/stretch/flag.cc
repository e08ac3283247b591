// SPDX-License-Identifier: Apache-2.0
#include "engine/stretch/flag.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace edgeprobe::engine::stretch {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

long futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value) {
  return ::syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

}  // namespace

void Flag::set(std::uint32_t inference) {
  // Sequentially consistent with the count of sleepers: either the sleeper is counted here, or it
  // observes the new value before it sleeps.
  value_.store(inference, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) > 0) futex(&value_, FUTEX_WAKE, INT_MAX);
}

void Flag::wait(std::uint32_t inference, std::chrono::nanoseconds spin) {
  using Clock = std::chrono::steady_clock;
  // Reading the clock costs more than checking the flag.
  constexpr int kLooks = 16;
  if (is_set(inference)) return;
  if (spin.count() > 0) {
    const auto end = Clock::now() + spin;
    do {
      for (int i = 0; i < kLooks; ++i) {
        if (is_set(inference)) return;
        relax();
      }
    } while (Clock::now() < end);
  }
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  for (std::uint32_t seen = value_.load(std::memory_order_seq_cst); !reached(seen, inference);
       seen = value_.load(std::memory_order_seq_cst))
    futex(&value_, FUTEX_WAIT, seen);
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

}  // namespace edgeprobe::engine::stretch
