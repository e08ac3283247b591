// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace edgeprobe::trace {

/// memcpy that keeps the destination out of the caches if `size` is at least 2 KiB and the
/// processor can: another thread reads the bytes next, and the engine needs the caches. The bytes
/// are visible to a thread that observes a later release store of this one.
void stream_copy(std::byte* to, const std::byte* from, std::size_t size);

}  // namespace edgeprobe::trace
