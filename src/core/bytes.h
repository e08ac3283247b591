// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace edgeprobe {

using Bytes = std::vector<std::byte>;

/// A non-owning view of bytes (C++17 has no std::span). The owner must outlive it.
struct ByteView {
  const std::byte* data = nullptr;
  std::size_t size = 0;

  ByteView() = default;
  ByteView(const std::byte* d, std::size_t n) : data(d), size(n) {}
  ByteView(const Bytes& bytes) : data(bytes.data()), size(bytes.size()) {}

  const std::byte* begin() const { return data; }
  const std::byte* end() const { return data + size; }
  bool empty() const { return size == 0; }
  /// The bytes [offset, offset + length); the caller has checked the range.
  ByteView sub(std::size_t offset, std::size_t length) const { return {data + offset, length}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data), size}; }
  Bytes copy() const { return Bytes(begin(), end()); }
};

inline ByteView view_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace edgeprobe
