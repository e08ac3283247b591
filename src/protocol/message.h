// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/bytes.h"
#include "protocol/header.h"

namespace edgeprobe::protocol {

/// A complete message, with its parts joined.
struct Message {
  Header header;  ///< Header of its first part; `payload` and `flags` are those of the whole.
  Bytes payload;  ///< Empty if it was placed in external memory.
  /// External memory of the payload, header.payload bytes; null: it is in `payload`.
  std::byte* placed = nullptr;
  bool checksum_right = true;  ///< False if any part had a wrong checksum.

  ByteView bytes() const { return placed ? ByteView(placed, header.payload) : ByteView(payload); }
};

/// The seal after the payload of an EXTENSION on a serial line: the first 16 hexadecimal digits of
/// the payload's SHA-256. A part's checksum has only one byte, and two wrong bytes may cancel out.
inline constexpr std::size_t kSealBytes = 16;

/// Returns `payload` followed by its seal.
Bytes sealed(ByteView payload);
/// Removes the seal. False if it is missing or does not match the payload.
bool take_seal(Message& message);

}  // namespace edgeprobe::protocol
