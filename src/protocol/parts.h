// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/header.h"

namespace edgeprobe::protocol {

/// A message to send; borrows `payload`.
struct Outgoing {
  Type type = Type::kUnknown;
  Flow flow = Flow::kRequest;
  std::uint16_t flags = 0;  ///< parts_of() sets FIRST, LAST and the payload bit.
  ByteView payload;
  /// For an unknown type: the failure of a request has the request's number.
  std::uint64_t number = 0;
};

/// How a connection writes its messages.
struct Writing {
  Generation generation = Generation::kG4;
  /// Maximum size of a part with its header, in g3 and g4. Kenning uses 1 MiB on TCP and 136 bytes
  /// on a serial line.
  std::size_t longest_part = std::size_t{1} << 20;
  bool checksum = false;
};

/// Bytes on the wire: a header, then a payload in the caller's memory.
struct Part {
  Bytes header;
  ByteView payload;
};

/// The parts of a message. An EXTENSION is never split: the peer has announced its limit.
/// kUnsupported if the generation has no such type; kLimit beyond 4 GiB.
Result<std::vector<Part>> parts_of(const Outgoing& message, const Writing& writing);
/// The header of a message that is sent as one part without a checksum; its payload of `payload`
/// bytes, in pieces of the caller, follows.
Result<Bytes> head_of(const Outgoing& message, std::size_t payload, Generation generation);
/// Same as one byte sequence.
Result<Bytes> to_bytes(const Outgoing& message, const Writing& writing);

}  // namespace edgeprobe::protocol
