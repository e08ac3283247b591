#pragma once

#include <cstdint>

namespace edgeprobe::probe {

/// How many fork()s lie between this process and the one that loaded the library: a number that differs from
/// the one taken at open means that this is a child. One load, no system call.
std::uint32_t fork_depth();
/// Counts from now on; further calls do nothing. False when the system refuses.
bool watch_forks();

}  // namespace edgeprobe::probe
