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

/// Connects to a server within a time, as often as it is asked.
using Way =
    std::function<Result<std::unique_ptr<transport::Connection>>(std::chrono::milliseconds)>;
/// To the server of choice.address, which `target` is; one that has to be put there and started
/// runs the engine of `choice`.
Result<Way> way_to(const TargetUri& target, const EngineChoice& choice);

/// An answer, and when it was here.
struct Answer {
  Bytes message;
  std::chrono::steady_clock::time_point came;
  /// Behind the header of the extension.
  ByteView bytes() const {
    constexpr std::size_t kHeader = protocol::kExtensionHeaderBytes;
    return ByteView(message).sub(kHeader, message.size() - kHeader);
  }
};

/// A connection to a server, made anew when it was cut. Threads may share it. The server answers
/// requests in their order; many may be on their way.
class Link {
 public:
  /// The one to this address that this process has already, else a new one: a server serves one
  /// connection at a time. One that is started has one engine, too.
  static Result<std::shared_ptr<Link>> open(const TargetUri& target, const EngineChoice& choice,
                                            const std::string& format);

  /// Sends one request of two parts; its number. In another epoch than the request is for, the
  /// connection counts as cut: the server numbers sessions anew in each.
  std::variant<std::uint32_t, CallError> send(std::uint64_t epoch, protocol::ExtensionKind kind,
                                              ByteView fields, ByteView bytes,
                                              std::chrono::milliseconds limit);
  /// Waits for the answer to a request that was sent in this epoch, once, at most `limit`.
  std::variant<Answer, CallError> receive(std::uint64_t epoch, std::uint32_t request,
                                          std::chrono::milliseconds limit);
  /// Memory of an answer that nobody needs any more, for one that is to come.
  void reuse(Bytes message);
  /// The request needs no answer any more, and is not worked off where that has not begun.
  void cancel(std::uint64_t epoch, std::uint32_t request);
  /// Sends and receives.
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
  /// Bytes of a model that go in one request: what the server takes, and a slow line in seconds.
  std::size_t upload_part() const;

 private:
  using Sent = std::variant<std::uint32_t, CallError>;

  Link(Way way, std::string address, std::string format, std::optional<transport::SerialLine> line);
  Result<Host> hello(const std::string& format);
  Status connect(std::chrono::milliseconds patience);
  // Of a thread that holds `calling_`.
  std::optional<CallError> gone(std::uint64_t epoch) const;
  Sent put(protocol::ExtensionKind kind, ByteView fields, ByteView bytes,
           const process::Wait& wait);
  std::variant<Answer, CallError> take(std::uint32_t request, const process::Wait& wait);
  /// How long to wait for the next bytes of an answer: on a line within a message not for long.
  process::Wait patience(const process::Wait& wait) const;
  /// Reads once, and keeps the answers that became whole; why it could not.
  std::optional<CallError> read_some(const process::Wait& wait);
  /// An answer that somebody waits for.
  void keep(protocol::Message& message);
  /// Ends the connection.
  CallError cut(std::string why);

  Way way_;
  std::string format_;
  std::string address_;
  std::optional<transport::SerialLine> line_;  ///< Messages have seals there.
  std::chrono::milliseconds open_limit_{0};    ///< For the server's first words.
  Host host_;
  std::mutex calling_;
  std::unique_ptr<transport::Connection> connection_;  ///< Null once it was cut.
  std::optional<protocol::MessageReader> reader_;
  bool fresh_ = false;  ///< Nothing was read from this connection yet.
  std::uint32_t last_request_ = 0;
  /// Requests whose answer was not received yet, and it once it is here.
  std::map<std::uint32_t, std::optional<std::variant<Answer, CallError>>> waiting_;
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<std::uint64_t> longest_message_{0};
};

}  // namespace edgeprobe::engine
