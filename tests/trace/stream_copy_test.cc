// SPDX-License-Identifier: Apache-2.0
#include "trace/mcap/stream_copy.h"

#include <gtest/gtest.h>

#include "support.h"

namespace edgeprobe::trace {
namespace {

TEST(StreamCopy, CopiesEachByteAndNoOtherAtEveryAlignmentAndLength) {
  constexpr std::size_t kLine = 64, kRoom = 4096;
  const Bytes from = noise(kRoom, 1), before = noise(kRoom, 2);
  // On both sides of the size from which it goes around the caches, and of a whole line there.
  for (const std::size_t size :
       {0u, 1u, 2047u, 2048u, 2049u, 2111u, 2112u, 2113u, 2175u, 2176u, 2177u})
    for (std::size_t at = 0; at < kLine; ++at)
      for (const std::size_t source : {0u, 1u, 31u}) {
        Bytes to = before;
        stream_copy(to.data() + at, from.data() + source, size);
        Bytes expected = before;
        for (std::size_t i = 0; i < size; ++i) expected[at + i] = from[source + i];
        ASSERT_TRUE(to == expected) << size << " bytes at " << at << " from " << source;
      }
}

}  // namespace
}  // namespace edgeprobe::trace
