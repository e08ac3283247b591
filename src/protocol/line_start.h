// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "core/bytes.h"
#include "protocol/generation.h"

namespace edgeprobe::protocol {

/// Silence on a serial line, within a message, that means lost bytes.
inline constexpr std::chrono::seconds kLineSilence{5};

/// Where a client on a serial line begins, which sees no connection begin.
struct LineStart {
  std::size_t noise = 0;  ///< Bytes in front that no client begins with.
  /// Of the client that begins behind them. Nothing: further bytes must tell.
  std::optional<Generation> generation;
};

/// A client of g3 or g4 begins with a PING, one of g2 with an IO_SPEC, our own with an EXTENSION of
/// g4. Anything else, noise or the rest of a message, is passed over. With `only`, a client of this
/// generation alone is looked for.
LineStart find_line_start(ByteView bytes, std::optional<Generation> only = std::nullopt);

}  // namespace edgeprobe::protocol
