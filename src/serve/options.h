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

/// A model on this machine, run for a client elsewhere.
namespace edgeprobe::serve {

/// What a client may use at most.
struct Limits {
  std::chrono::milliseconds handshake{10'000};  ///< Of TLS, from the first byte to the last.
  /// Without a byte of a new client's, it is greeted: it is of g3 or g4.
  std::chrono::milliseconds greeting{150};
  /// Without a further byte of a message that has begun, and of a reply that the client does not
  /// take. After it a message must bring 1,000 bytes a second on average, on a serial line 100.
  std::chrono::milliseconds message{60'000};
  std::chrono::milliseconds idle{600'000};        ///< Between two messages.
  std::uint64_t longest_message = 1'000'000'000;  ///< Bytes of payload.
  /// Bytes of all models that clients have sent, and of those that one has loaded.
  std::uint64_t uploads = 2'000'000'000;
};

/// What the operator decides. Nothing of it is the client's.
struct Options {
  std::optional<engine::EngineChoice> engine;    ///< Nothing: the default of the model's format.
  engine::SessionOptions session;                ///< Threads, CPUs, delegates, time limits.
  std::optional<protocol::Generation> protocol;  ///< Nothing: told by the client's first bytes.
  /// Between the two OKs of g1, which its clients must not read together.
  std::chrono::milliseconds ok_gap{60};
  std::optional<transport::TlsFiles> tls;  ///< Nothing: unencrypted, and anybody is served.
  bool allow_native_models = false;        ///< Compiled models are native code.
  Recorder recorder = nullptr;             ///< Nothing: a client's whole runs are refused.
  Limits limits;
};

}  // namespace edgeprobe::serve
