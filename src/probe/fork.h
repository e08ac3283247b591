// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace edgeprobe::probe {

/// A process has one fork depth; this is the only state outside of a probe.
extern std::atomic<std::uint32_t> depth_of_forks;

/// Number of fork()s between the process that loaded the library and this one. If it differs from
/// the value at open, this is a child process. One load, no system call.
inline std::uint32_t fork_depth() { return depth_of_forks.load(std::memory_order_relaxed); }
/// Starts counting; further calls do nothing. False if the system refuses.
bool watch_forks();

}  // namespace edgeprobe::probe
