// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
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
#include "transport/serial.h"

namespace edgeprobe::engine {

/// What a server reported in its HELLO.
struct Host {
  EngineIdentity identity;
  std::uint64_t longest_message = 0;
  std::uint64_t uploads = 0;  ///< In bytes.
};

/// Why a call got no answer.
struct CallError {
  Error error;
  bool cut = false;  ///< The connection was lost; the server itself reported nothing.
};

/// Connects to a server within a time limit; can be called repeatedly.
using Way =
    std::function<Result<std::unique_ptr<transport::Connection>>(std::chrono::milliseconds)>;
/// How to reach the server of choice.address; `target` is its parsed form. A server that has to be
/// copied to its machine and started there runs the engine of `choice`.
Result<Way> way_to(const TargetUri& target, const EngineChoice& choice);

/// An answer and its time of arrival.
struct Answer {
  Bytes message;
  std::chrono::steady_clock::time_point came;
  /// The bytes after the extension's header.
  ByteView bytes() const {
    constexpr std::size_t kHeader = protocol::kExtensionHeaderBytes;
    return ByteView(message).sub(kHeader, message.size() - kHeader);
  }
};

/// A connection to a server, renewed after it was lost. Threads may share it. The server answers
/// requests in order; many may be pending.
class Link {
 public:
  /// This process's existing link to this address, else a new one: a server serves one connection
  /// at a time. A server that we start also has only one engine.
  static Result<std::shared_ptr<Link>> open(const TargetUri& target, const EngineChoice& choice,
                                            const std::string& format);

  /// Sends one request in two parts and returns its number. If the epoch differs from the
  /// request's, this counts as a lost connection: each epoch has its own session numbers.
  std::variant<std::uint32_t, CallError> send(std::uint64_t epoch, protocol::ExtensionKind kind,
                                              ByteView fields, ByteView bytes,
                                              std::chrono::milliseconds limit);
  /// Waits for the answer to a request of this epoch, at most `limit`. Call it once per request.
  std::variant<Answer, CallError> receive(std::uint64_t epoch, std::uint32_t request,
                                          std::chrono::milliseconds limit);
  /// Recycles the memory of an answer that is no longer needed.
  void reuse(Bytes message);
  /// The request needs no answer any more; the server skips it if it has not started on it.
  void cancel(std::uint64_t epoch, std::uint32_t request);
  /// Sends a request and receives its answer.
  std::variant<Bytes, CallError> call(std::uint64_t epoch, protocol::ExtensionKind kind,
                                      ByteView fields, ByteView bytes,
                                      std::chrono::milliseconds limit);
  /// Reconnects unless another thread has done so since `epoch`; retries for `patience`.
  Status reconnect(std::uint64_t epoch, std::chrono::milliseconds patience);
  /// Counts connections: the server forgets its state with each one.
  std::uint64_t epoch() const { return epoch_; }
  /// The host, with the engine that the server uses for models of this format.
  Result<Host> host(const std::string& format);
  const std::string& address() const { return address_; }
  /// Bytes of a model per request: limited by the server, and on a slow line to some seconds.
  std::size_t upload_part() const;

 private:
  using Sent = std::variant<std::uint32_t, CallError>;

  Link(Way way, std::string address, std::string format, std::optional<transport::SerialLine> line);
  Result<Host> hello(const std::string& format);
  Status connect(std::chrono::milliseconds patience);
  // Call it with `calling_` locked.
  std::optional<CallError> gone(std::uint64_t epoch) const;
  Sent put(protocol::ExtensionKind kind, ByteView fields, ByteView bytes,
           const process::Wait& wait);
  std::variant<Answer, CallError> take(std::uint32_t request, const process::Wait& wait);
  /// How long to wait for the next bytes of an answer: on a serial line only briefly within a
  /// message.
  process::Wait patience(const process::Wait& wait) const;
  /// Reads once and stores completed answers; returns why it failed. With `came`, which is set to
  /// whether bytes came, the wait may expire.
  std::optional<CallError> read_some(const process::Wait& wait, bool* came = nullptr);
  /// Stores an answer if a caller waits for it.
  void keep(protocol::Message& message);
  /// Closes the connection.
  CallError cut(std::string why);

  Way way_;
  std::string format_;
  std::string address_;
  /// Set for a serial line, whose messages have seals.
  std::optional<transport::SerialLine> line_;
  std::chrono::milliseconds open_limit_{0};  ///< Limit for the server's first message.
  Host host_;
  std::mutex calling_;
  std::unique_ptr<transport::Connection> connection_;  ///< Null once lost.
  std::optional<protocol::MessageReader> reader_;
  bool fresh_ = false;  ///< Nothing has been read from this connection yet.
  std::uint32_t last_request_ = 0;
  /// Pending requests, each with its answer once it has arrived.
  std::map<std::uint32_t, std::optional<std::variant<Answer, CallError>>> waiting_;
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<std::uint64_t> longest_message_{0};
};

}  // namespace edgeprobe::engine
