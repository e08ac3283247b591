// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "core/bytes.h"
#include "protocol/generation.h"

namespace edgeprobe::protocol {

/// If a serial line is silent for this long within a message, bytes were lost.
inline constexpr std::chrono::seconds kLineSilence{5};

/// Start of a client's data on a serial line, which has no connection events.
struct LineStart {
  std::size_t noise = 0;  ///< Number of leading bytes that cannot begin a client's data.
  /// Generation of the client that begins after them. Empty: more bytes are needed.
  std::optional<Generation> generation;
};

/// Finds the start of a client: g3 or g4 begins with a PING, g2 with an IO_SPEC, our own client
/// with an EXTENSION of g4. Skips anything else: noise or the rest of a message. With `only`,
/// searches for a client of this generation.
LineStart find_line_start(ByteView bytes, std::optional<Generation> only = std::nullopt);

}  // namespace edgeprobe::protocol
