// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/bytes.h"
#include "protocol/header.h"

namespace edgeprobe::protocol {

/// A whole message, its parts joined.
struct Message {
  Header header;  ///< Of its first part; `payload` and `flags` are those of the whole.
  Bytes payload;  ///< Empty when it was placed elsewhere.
  /// Where the reader's owner had its payload put, header.payload bytes; null: in `payload`.
  std::byte* placed = nullptr;
  bool checksum_right = true;  ///< Of each part that had one.

  ByteView bytes() const { return placed ? ByteView(placed, header.payload) : ByteView(payload); }
};

/// The seal of an EXTENSION on a serial line, behind its payload: the first 16 hexadecimal digits
/// of the payload's SHA-256. The checksum of a part is one byte, and two wrong bytes may cancel
/// out.
inline constexpr std::size_t kSealBytes = 16;

/// `payload` and its seal.
Bytes sealed(ByteView payload);
/// Takes the seal off. False: there is none, or it is that of another payload.
bool take_seal(Message& message);

}  // namespace edgeprobe::protocol
