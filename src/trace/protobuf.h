// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace edgeprobe::trace {

/// The bytes of one protobuf message, field by field
/// (https://protobuf.dev/programming-guides/encoding).
class Proto {
 public:
  Proto& whole(int field, std::uint64_t value) { return key(field, 0).varint(value); }
  Proto& real(int field, double value) { return key(field, 1).raw(&value, sizeof value); }
  Proto& fixed32(int field, std::uint32_t value) { return key(field, 5).raw(&value, sizeof value); }
  /// A text, bytes, or a message within this one.
  Proto& bytes(int field, std::string_view value) {
    key(field, 2).varint(value.size());
    text_.append(value);
    return *this;
  }
  Proto& bytes(int field, const Proto& message) { return bytes(field, message.text()); }
  const std::string& text() const { return text_; }

 private:
  Proto& key(int field, std::uint64_t type) {
    return varint(static_cast<std::uint64_t>(field) << 3 | type);
  }
  Proto& varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) text_ += static_cast<char>(value | 128);
    text_ += static_cast<char>(value);
    return *this;
  }
  Proto& raw(const void* data, std::size_t size) {
    text_.append(static_cast<const char*>(data), size);
    return *this;
  }
  std::string text_;
};

}  // namespace edgeprobe::trace
