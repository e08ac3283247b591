// SPDX-License-Identifier: Apache-2.0
#include "protocol/header.h"

#include <string>

#include "core/codec.h"

namespace edgeprobe::protocol {
namespace {

constexpr std::uint32_t kTypeBytes = 2;  ///< Included in the size field of g1 and g2.
constexpr unsigned kFlowBitG4 = 38;

Result<Header> read_plain(ByteReader& in, Generation generation) {
  Header header;
  const std::uint32_t size = in.u32();
  header.number = in.u16();
  if (size < kTypeBytes)
    return Error{ErrorKind::kCorrupt, "a message says that it has " + std::to_string(size) +
                                          " bytes; its type alone takes 2"};
  header.type = type_of(header.number, generation);
  header.payload = size - kTypeBytes;
  header.flags = flag::kFirst | flag::kLast;
  if (header.payload > 0) header.flags |= flag::kHasPayload;
  return header;
}

}  // namespace

Result<Header> read_header(ByteView bytes, Generation generation) {
  ByteReader in(bytes);
  if (is_plain(generation)) return read_plain(in, generation);
  Header header;
  if (generation == Generation::kG4) {
    const std::uint64_t low = in.u32();
    const std::uint64_t bits = low | std::uint64_t{in.u8()} << 32;
    header.number = bits & ((std::uint64_t{1} << kFlowBitG4) - 1);
    header.flow = static_cast<Flow>(bits >> kFlowBitG4);
  } else {
    const std::uint8_t bits = in.u8();
    header.number = bits & 63U;
    header.flow = static_cast<Flow>(bits >> 6U);
  }
  header.checksum = in.u8();
  header.flags = in.u16();
  header.payload = in.u32();
  header.type = type_of(header.number, generation);
  return header;
}

Bytes write_header(const Header& header, Generation generation) {
  ByteWriter out;
  if (is_plain(generation)) {
    out.number(header.payload + kTypeBytes);
    out.number(static_cast<std::uint16_t>(header.number));
    return std::move(out).bytes();
  }
  const auto flow = static_cast<std::uint64_t>(header.flow);
  if (generation == Generation::kG4) {
    const std::uint64_t bits = header.number | flow << kFlowBitG4;
    out.number(static_cast<std::uint32_t>(bits));
    out.number(static_cast<std::uint8_t>(bits >> 32U));
  } else {
    out.number(static_cast<std::uint8_t>(header.number | flow << 6U));
  }
  out.number(header.checksum);
  out.number(header.flags);
  out.number(header.payload);
  return std::move(out).bytes();
}

std::uint8_t checksum_of(const Header& header, ByteView payload, Generation generation) {
  Header without = header;
  without.checksum = 0;
  std::byte sum{0x4B};
  for (const std::byte byte : write_header(without, generation)) sum ^= byte;
  for (const std::byte byte : payload) sum ^= byte;
  return std::to_integer<std::uint8_t>(sum);
}

}  // namespace edgeprobe::protocol
