// SPDX-License-Identifier: Apache-2.0
#include "trace/mcap/crc32.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "support.h"

namespace edgeprobe::trace {
namespace {

// One bit at a time, following the definition of polynomial division.
std::uint32_t by_definition(ByteView bytes) {
  std::uint32_t state = ~0u;
  for (const std::byte byte : bytes) {
    state ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) ? 0xedb88320u : 0);
  }
  return ~state;
}

TEST(Crc32, EqualsThePublishedCheckValue) {
  EXPECT_EQ(crc32(view_of("123456789")), 0xcbf43926u);  // zlib and binascii give the same
  EXPECT_EQ(crc32(view_of("")), 0u);
  // Expected: Python's zlib.crc32(b'a' * 10**6)
  EXPECT_EQ(crc32(view_of(std::string(1000000, 'a'))), 0xdc25bfbcu);
}

TEST(Crc32, EveryKernelEqualsTheDefinitionAtEveryLengthAndOffset) {
  const Bytes data = noise(3000, 1);
  for (const Crc32Kernel& kernel : crc32_kernels())
    for (std::size_t size = 0; size < 1200; size += size < 300 ? 1 : 7)
      for (const std::size_t offset : {0u, 1u, 7u, 31u}) {
        const ByteView part = ByteView(data).sub(offset, size);
        ASSERT_EQ(kernel.run(0, part.data, part.size), by_definition(part))
            << kernel.name << " " << size << " " << offset;
      }
}

TEST(Crc32, EveryKernelEqualsZlibAtEveryLengthAlignmentAndStart) {
  const Bytes data = noise(2400, 3);
  const auto* bytes = reinterpret_cast<const unsigned char*>(data.data());
  for (const Crc32Kernel& kernel : crc32_kernels())
    for (std::size_t offset = 0; offset < 64; ++offset)
      for (std::size_t size = 0; size <= 2200; size += size < 1100 ? 1 : 13) {
        const auto before = static_cast<std::uint32_t>(size * 2654435761u);
        ASSERT_EQ(kernel.run(before, data.data() + offset, size),
                  ::crc32(before, bytes + offset, static_cast<unsigned>(size)))
            << kernel.name << " " << size << " " << offset;
      }
}

TEST(Crc32, ContinuesAnEarlierRun) {
  const Bytes data = noise(5000, 2);
  const ByteView all(data);
  for (const Crc32Kernel& kernel : crc32_kernels())
    for (const std::size_t cut : {0u, 1u, 15u, 127u, 128u, 512u, 3000u, 5000u}) {
      const std::uint32_t first = kernel.run(0, all.data, cut);
      EXPECT_EQ(kernel.run(first, all.data + cut, all.size - cut), by_definition(all))
          << kernel.name << " " << cut;
    }
}

}  // namespace
}  // namespace edgeprobe::trace
