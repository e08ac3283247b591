// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "engine/engine.h"
#include "engine/target.h"
#include "engine/wire.h"
#include "protocol/extension.h"
#include "protocol/message_reader.h"
#include "transport/connection.h"

namespace edgeprobe::engine {

/// What a server told in its HELLO.
struct Host {
  EngineIdentity identity;
  std::uint64_t longest_message = 0;
  std::uint64_t uploads = 0;  ///< Bytes.
};

/// Why a call has no answer.
struct CallError {
  Error error;
  bool cut = false;  ///< The connection is gone; the server itself said nothing.
};

/// A connection to a server, made anew when it was cut. Threads may share it; one call at a time.
class Link {
 public:
  /// The one to this address that this process has already, else a new one: a server serves one
  /// connection at a time.
  static Result<std::shared_ptr<Link>> open(const TargetUri& target, const std::string& format);

  /// Sends one request of two parts and waits for its answer, at most `limit`. In another epoch
  /// than the request is for, the connection counts as cut: the server numbers sessions anew in
  /// each.
  std::variant<Bytes, CallError> call(std::uint64_t epoch, protocol::ExtensionKind kind,
                                      ByteView fields, ByteView bytes,
                                      std::chrono::milliseconds limit);
  /// Connects again unless somebody else has since `epoch`; tries for `patience`.
  Status reconnect(std::uint64_t epoch, std::chrono::milliseconds patience);
  /// Counts connections: what the server knew in an earlier one, it has forgotten.
  std::uint64_t epoch() const { return epoch_; }
  /// With the engine that the server runs models of this format with.
  Result<Host> host(const std::string& format);
  const std::string& address() const { return address_; }
  /// Bytes of payload that the server takes in one request.
  std::uint64_t longest_message() const { return longest_message_; }

 private:
  Link(TargetUri target, std::string format);
  Result<Host> hello(const std::string& format);
  Status connect(std::chrono::milliseconds patience);
  std::variant<Bytes, CallError> exchange(protocol::ExtensionKind kind, ByteView fields,
                                          ByteView bytes, std::chrono::milliseconds limit);

  TargetUri target_;
  std::string format_;
  std::string address_;
  Host host_;
  std::mutex calling_;
  std::unique_ptr<transport::Connection> connection_;  ///< Null once it was cut.
  std::optional<protocol::MessageReader> reader_;
  bool fresh_ = false;  ///< Nothing was read from this connection yet.
  std::uint32_t last_request_ = 0;
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<std::uint64_t> longest_message_{0};
};

}  // namespace edgeprobe::engine
