#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "trace/channel.h"

namespace edgeprobe::trace {

/// Reads the fields of one message; after the first one that is not there, everything is zero and ok() is false.
class Fields {
 public:
  explicit Fields(ByteView bytes) : left_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && left_.empty(); }

  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
  float f32();
  /// Up to a zero byte.
  std::string_view name();
  ByteView take(std::size_t size);
  ByteView rest() { return take(left_.size); }

 private:
  template <class T>
  T number() {
    const ByteView bytes = take(sizeof(T));
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size; i > 0; --i) value = value << 8 | static_cast<std::uint64_t>(bytes.data[i - 1]);
    return static_cast<T>(value);
  }
  ByteView left_;
  bool ok_ = true;
};

/// The description in a message 3, behind the channel's number. Fails with kCorrupt when it cannot stand in a trace.
Result<Channel> described_channel(ByteView description);

}  // namespace edgeprobe::trace
