// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "trace/mcap/crc32.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

/// Corrects the checksums of a changed trace's chunks and summary, so that readers examine their
/// contents.
inline void mend_trace(std::uint8_t* data, std::size_t size) {
  using edgeprobe::ByteView;
  const auto view = [&](std::size_t from, std::size_t length) {
    return ByteView(reinterpret_cast<const std::byte*>(data) + from, length);
  };
  const auto get = [&](std::size_t at, auto value) {
    return std::memcpy(&value, data + at, sizeof value), value;
  };
  const auto put = [&](std::size_t at, std::uint32_t value) {
    std::memcpy(data + at, &value, sizeof value);
  };
  for (std::size_t at = 8; at + 9 <= size;) {
    const auto length = get(at + 1, std::uint64_t{});
    if (length > size - at - 9) break;
    if (data[at] == 6 && length >= 40) {
      const auto codec = get(at + 9 + 28, std::uint32_t{});
      const std::size_t head = 9 + 32 + std::size_t{codec} + 8;
      // Compressed chunks get no checksum; readers can find uncompressed ones again by theirs.
      if (codec) put(at + 9 + 24, 0);
      else if (head <= 9 + length)
        put(at + 9 + 24, edgeprobe::trace::crc32(view(at + head, 9 + length - head)));
    }
    at += 9 + length;
  }
  constexpr std::size_t kEnd = 9 + 20 + 8;
  if (size < 8 + kEnd) return;
  const std::size_t footer = size - kEnd;
  const auto start = get(footer + 9, std::uint64_t{});
  if (start != 0 && start <= footer)
    put(footer + 9 + 16, edgeprobe::trace::crc32(view(start, footer - start + 9 + 16)));
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, most);
  if (seed % 4) mend_trace(data, size);
  return size;
}
