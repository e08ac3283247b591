// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "protocol/generation.h"
#include "serve/recorder.h"
#include "transport/tls.h"

/// Runs models on this machine for remote clients.
namespace edgeprobe::serve {

/// Limits for a client.
struct Limits {
  std::chrono::milliseconds handshake{10'000};  ///< For the whole TLS handshake.
  /// If a new client sends nothing for this long, it is greeted: it uses g3 or g4.
  std::chrono::milliseconds greeting{150};
  /// Longest silence within a message, or within a reply that the client does not read. A message
  /// that takes longer must average 1,000 bytes a second, or 100 on a serial line.
  std::chrono::milliseconds message{60'000};
  std::chrono::milliseconds idle{600'000};        ///< Between two messages.
  std::uint64_t longest_message = 1'000'000'000;  ///< Bytes of payload.
  /// Bytes of all uploaded models, and of those loaded by one client.
  std::uint64_t uploads = 2'000'000'000;
};

/// Settings of the operator; clients cannot change them.
struct Options {
  std::optional<engine::EngineChoice> engine;  ///< Unset: the default for the model's format.
  engine::SessionOptions session;              ///< Threads, CPUs, delegates, time limits.
  /// Unset: determined from the client's first bytes.
  std::optional<protocol::Generation> protocol;
  /// Delay between the two OKs of g1: its clients must not read both at once.
  std::chrono::milliseconds ok_gap{60};
  std::optional<transport::TlsFiles> tls;  ///< Unset: unencrypted, and everyone is served.
  bool allow_native_models = false;        ///< Compiled models are native code.
  Recorder recorder = nullptr;             ///< Unset: requests for whole runs are refused.
  Limits limits;
};

}  // namespace edgeprobe::serve
