// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/bytes.h"

/// Converts numbers to and from bytes in a given order, on any host, at any alignment.
namespace edgeprobe {

/// The same value with its bytes reversed.
template <class T>
T byte_swapped(T value) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  unsigned char bytes[sizeof(T)], turned[sizeof(T)];
  std::memcpy(bytes, &value, sizeof value);
  for (std::size_t i = 0; i < sizeof value; ++i) turned[i] = bytes[sizeof value - 1 - i];
  std::memcpy(&value, turned, sizeof value);
  return value;
}

/// Reads a little-endian number. `from` has sizeof(T) bytes.
template <class T>
T load_little(const std::byte* from) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  T value{};
  std::memcpy(&value, from, sizeof value);
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : byte_swapped(value);
}

template <class T>
void store_little(std::byte* to, T value) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) value = byte_swapped(value);
  std::memcpy(to, &value, sizeof value);
}

/// Reads little-endian fields from the front of untrusted bytes. After a field that does not fit,
/// ok() is false and every further field is zero or empty. The bytes must outlive the reader.
class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : rest_(bytes) {}

  template <class T>
  T number() {
    const ByteView bytes = take(sizeof(T));
    return bytes.size == sizeof(T) ? load_little<T>(bytes.data) : T{};
  }
  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::int32_t i32() { return number<std::int32_t>(); }
  float f32() { return number<float>(); }
  ByteView take(std::uint64_t size) {
    if (!ok_ || size > rest_.size) {
      ok_ = false;
      return {};
    }
    const ByteView front = rest_.sub(0, static_cast<std::size_t>(size));
    rest_ = rest_.sub(front.size, rest_.size - front.size);
    return front;
  }
  /// Reads a length of type Length, then that many bytes, at most `longest`.
  template <class Length>
  ByteView sized(std::uint64_t longest = UINT64_MAX) {
    const std::uint64_t size = number<Length>();
    if (size > longest) ok_ = false;
    return take(size);
  }

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }
  /// The bytes not yet read, without consuming them. Empty after a failure.
  ByteView rest() const { return ok_ ? rest_ : ByteView(); }
  /// Call this for a field that fits but contains an invalid value.
  void fail() { ok_ = false; }

 private:
  ByteView rest_;
  bool ok_ = true;
};

/// Appends little-endian fields.
class ByteWriter {
 public:
  template <class T>
  void number(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    store_little(bytes_.data() + at, value);
  }
  void append(ByteView bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  /// Writes the length as type Length, then the bytes; the caller knows that it fits.
  template <class Length>
  void sized(ByteView bytes) {
    number(static_cast<Length>(bytes.size));
    append(bytes);
  }

  const Bytes& bytes() const& { return bytes_; }
  Bytes bytes() && { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

}  // namespace edgeprobe
