// SPDX-License-Identifier: Apache-2.0
#include "placement/search/quiet.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace edgeprobe::placement {
namespace {

/// The kernel's struct sched_attr in its first form (sched_setattr(2)); C libraries lack it.
struct Attributes {
  std::uint32_t size = sizeof(Attributes), policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0, deadline = 0, period = 0;
};
static_assert(sizeof(Attributes) == 48);

/// Requests this slice for the calling thread, keeping its policy and niceness; 0: the kernel's
/// default slice.
bool ask_for(std::uint64_t turn) {
  Attributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return false;
  if (attributes.policy != SCHED_OTHER && attributes.policy != SCHED_BATCH) return false;
  attributes.size = sizeof attributes;
  attributes.flags = 0;
  attributes.runtime = turn;
  return ::syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}

}  // namespace

LongTurns::LongTurns() : asked_(ask_for(kTurn)) {}

LongTurns::~LongTurns() {
  if (asked_) ask_for(0);
}

}  // namespace edgeprobe::placement
