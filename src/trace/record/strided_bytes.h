// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/bytes.h"

namespace edgeprobe::trace {

/// Bytes with gaps: `count` rows of `row_bytes`, `stride` apart. Written without the gaps.
struct StridedBytes {
  const std::byte* data = nullptr;
  std::size_t row_bytes = 0, stride = 0, count = 0;

  StridedBytes() = default;
  StridedBytes(const std::byte* d, std::size_t bytes, std::size_t step, std::size_t n)
      : data(d), row_bytes(bytes), stride(step), count(n) {}
  StridedBytes(const Bytes& bytes) : StridedBytes(ByteView(bytes)) {}
  StridedBytes(ByteView bytes)
      : data(bytes.data), row_bytes(bytes.size), stride(bytes.size), count(1) {}

  std::size_t size() const { return row_bytes * count; }
  ByteView row(std::size_t index) const { return {data + index * stride, row_bytes}; }
};

}  // namespace edgeprobe::trace
