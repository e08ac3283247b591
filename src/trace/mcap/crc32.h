// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe::trace {

/// CRC-32 of IEEE 802.3 (as in zlib, PNG, ZIP and MCAP). `before` continues an earlier run:
/// crc32(b, crc32(a)) is the checksum of a followed by b.
std::uint32_t crc32(ByteView bytes, std::uint32_t before = 0);

/// One implementation; all return the same value.
struct Crc32Kernel {
  const char* name;
  std::uint32_t (*run)(std::uint32_t before, const std::byte* data, std::size_t size);
};
/// The implementations that this processor can run, fastest last.
std::vector<Crc32Kernel> crc32_kernels();
/// Makes crc32() use this implementation: lets benchmarks measure the code for other processors.
void use_crc32(const Crc32Kernel& kernel);

}  // namespace edgeprobe::trace
