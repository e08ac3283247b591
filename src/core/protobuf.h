// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/codec.h"

namespace edgeprobe {

/// Wire types of protobuf; the numbers are the format's.
enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

/// Writes one protobuf message field by field (https://protobuf.dev/programming-guides/encoding).
class ProtoWriter {
 public:
  ProtoWriter& whole(std::uint32_t field, std::uint64_t value) {
    return key(field, WireType::kVarint).varint(value);
  }
  ProtoWriter& real(std::uint32_t field, double value) {
    return key(field, WireType::kFixed64).fixed(value);
  }
  ProtoWriter& fixed32(std::uint32_t field, std::uint32_t value) {
    return key(field, WireType::kFixed32).fixed(value);
  }
  /// A string, bytes, or a nested message.
  ProtoWriter& bytes(std::uint32_t field, std::string_view value) {
    head(field, value.size());
    text_.append(value);
    return *this;
  }
  ProtoWriter& bytes(std::uint32_t field, const ProtoWriter& message) {
    return bytes(field, message.text());
  }
  /// Key and length that precede the `size` bytes of such a field.
  ProtoWriter& head(std::uint32_t field, std::size_t size) {
    return key(field, WireType::kLength).varint(size);
  }
  const std::string& text() const& { return text_; }
  std::string text() && { return std::move(text_); }

 private:
  ProtoWriter& key(std::uint32_t field, WireType type) {
    return varint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(type));
  }
  ProtoWriter& varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) text_ += static_cast<char>(value | 128);
    text_ += static_cast<char>(value);
    return *this;
  }
  template <class T>
  ProtoWriter& fixed(T value) {
    std::byte bytes[sizeof(T)];
    store_little(bytes, value);
    text_.append(ByteView(bytes, sizeof bytes).text());
    return *this;
  }
  std::string text_;
};

}  // namespace edgeprobe
