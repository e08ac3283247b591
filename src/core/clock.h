#pragma once

#include <cstdint>

namespace edgeprobe {

/// Nanoseconds since 1970-01-01 UTC that never jump: the wall clock as it was at the first call in this process, carried on by the
/// clock that counts since the machine was started, its sleep included. Frames and sensors of one recording are on this one clock, whatever is done to the wall clock meanwhile.
std::uint64_t unix_ns();

}  // namespace edgeprobe
