// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace edgeprobe::protocol
