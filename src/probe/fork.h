// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace edgeprobe::probe {

/// A process has one depth; this is the only state outside of a probe.
extern std::atomic<std::uint32_t> depth_of_forks;

/// How many fork()s lie between this process and the one that loaded the library: a number that
/// differs from the one taken at open means that this is a child. One load, no system call.
inline std::uint32_t fork_depth() { return depth_of_forks.load(std::memory_order_relaxed); }
/// Counts from now on; further calls do nothing. False when the system refuses.
bool watch_forks();

}  // namespace edgeprobe::probe
