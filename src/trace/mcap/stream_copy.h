// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace edgeprobe::trace {

/// memcpy that leaves the destination out of the caches when `size` is 2 KiB or more and the
/// processor can: the bytes are read next by another thread, and the caches belong to the engine.
/// What it wrote is visible to a thread that sees a later release store of this one.
void stream_copy(std::byte* to, const std::byte* from, std::size_t size);

}  // namespace edgeprobe::trace
