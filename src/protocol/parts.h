// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/header.h"

namespace edgeprobe::protocol {

/// A message to send; `payload` is borrowed.
struct Outgoing {
  Type type = Type::kUnknown;
  Flow flow = Flow::kRequest;
  std::uint16_t flags = 0;  ///< FIRST, LAST and the bit of a payload are set by parts_of().
  ByteView payload;
  /// Of a type that is not known here: the failure of a request has the request's number.
  std::uint64_t number = 0;
};

/// How a connection writes its messages.
struct Writing {
  Generation generation = Generation::kG4;
  /// Of a part with its header, in g3 and g4. 1 MiB is Kenning's own on TCP, 136 on a serial line.
  std::size_t longest_part = std::size_t{1} << 20;
  bool checksum = false;
};

/// What goes on the wire one behind the other: a header, and a payload that lies where the caller
/// has it.
struct Part {
  Bytes header;
  ByteView payload;
};

/// The parts of a message. An EXTENSION is never split: it goes to a peer that has told its limit.
/// kUnsupported when the generation has no such type; kLimit beyond 4 GiB.
Result<std::vector<Part>> parts_of(const Outgoing& message, const Writing& writing);
/// The same as bytes in one piece.
Result<Bytes> to_bytes(const Outgoing& message, const Writing& writing);

}  // namespace edgeprobe::protocol
