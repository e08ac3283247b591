// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/bytes.h"
#include "engine/options.h"
#include "engine/remote/link.h"
#include "engine/wire.h"

namespace edgeprobe::engine {

/// How long a device may be unreachable, for example during a reboot or while a cable is unplugged.
inline constexpr std::chrono::seconds kReconnectPatience{60};
/// How long an answer may take in addition to the requested work.
inline constexpr std::chrono::seconds kAnswerLimit{30};

/// A model with its load options: enough to load it again.
struct Recall {
  Bytes model;
  Bytes sha256;
  std::string label;
  SessionOptions options;
  std::string state;  ///< The tensor that keeps a state; "" if none.
};

/// A session on the server.
struct Loading {
  std::uint32_t number = 0;
  std::string engine;  ///< SHA-256 of the engine's library.
  wire::Loaded loaded;
};
/// SHA-256, 32 bytes.
Bytes hash_of(ByteView bytes);
/// Ensures that the server's memory contains the bytes; returns why it failed. Bytes that the
/// server already has are not sent. Several parts are pending at a time, so that the server hashes
/// one while the next one arrives.
std::optional<CallError> upload(Link& link, std::uint64_t epoch, ByteView all, ByteView sha256);
/// Sends the parts of the model that the server lacks, and loads it there.
std::variant<Loading, CallError> load_on(Link& link, std::uint64_t epoch, const Recall& recall);

}  // namespace edgeprobe::engine
