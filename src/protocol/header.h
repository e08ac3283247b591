// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/bytes.h"
#include "core/result.h"
#include "protocol/generation.h"

namespace edgeprobe::protocol {

enum class Flow : std::uint8_t { kRequest, kRetransmit, kAcknowledge, kTransmission };

/// Bits of Header::flags.
namespace flag {
inline constexpr std::uint16_t kSuccess = 1 << 0, kFail = 1 << 1, kFromHost = 1 << 2,
                               kHasPayload = 1 << 3, kFirst = 1 << 4, kLast = 1 << 5,
                               kKenning = 1 << 6, kZephyr = 1 << 7, kSpecial = 1 << 12;
}  // namespace flag

/// Precedes a payload.
struct Header {
  Type type = Type::kUnknown;
  std::uint64_t number = 0;  ///< Number on the wire; identifies an unknown type.
  Flow flow = Flow::kRequest;
  /// g1 and g2 have no flags; their headers get the flags of a complete message.
  std::uint16_t flags = 0;
  std::uint8_t checksum = 0;
  std::uint32_t payload = 0;  ///< Bytes.

  bool has(std::uint16_t bit) const { return (flags & bit) != 0; }
  bool operator==(const Header&) const = default;
};

/// `bytes` has header_bytes(). kCorrupt if the size in g1 or g2 is smaller than its type field.
Result<Header> read_header(ByteView bytes, Generation generation);
/// Writes the number, not the type. Returns header_bytes() bytes.
Bytes write_header(const Header& header, Generation generation);

/// XOR of 0x4B and all bytes of a part except the checksum itself. For g3 and g4.
std::uint8_t checksum_of(const Header& header, ByteView payload, Generation generation);

}  // namespace edgeprobe::protocol
