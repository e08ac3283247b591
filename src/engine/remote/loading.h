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

/// How long a device may be away: a reboot, a cable.
inline constexpr std::chrono::seconds kReconnectPatience{60};
/// How long an answer may take beside the work that it is about.
inline constexpr std::chrono::seconds kAnswerLimit{30};

/// A model and how it is to be loaded: enough to load it again.
struct Recall {
  Bytes model;
  Bytes sha256;
  std::string label;
  SessionOptions options;
  std::string state;  ///< The tensor that keeps a state; "" for none.
};

/// A session on the server.
struct Loading {
  std::uint32_t number = 0;
  std::string engine;  ///< SHA-256 of its library.
  wire::Loaded loaded;
};
/// SHA-256, 32 bytes.
Bytes hash_of(ByteView bytes);
/// Bytes in the server's memory, whatever of them was there already; why they are not. Several
/// parts are on their way, so that the server hashes one while the next one comes.
std::optional<CallError> upload(Link& link, std::uint64_t epoch, ByteView all, ByteView sha256);
/// Sends what the server has not of the model, and has it loaded there.
std::variant<Loading, CallError> load_on(Link& link, std::uint64_t epoch, const Recall& recall);

}  // namespace edgeprobe::engine
