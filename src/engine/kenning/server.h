// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "engine/kenning/manner.h"
#include "engine/target.h"
#include "protocol/message_reader.h"
#include "protocol/parts.h"
#include "transport/connection.h"

namespace edgeprobe::engine::kenning {

/// A foreign server at the other end of a connection: sends one request and waits for its answer.
/// It holds one model. Callers hold exchange() during requests that belong together.
class Server {
 public:
  /// This process's existing connection to this address, else a new one: a server serves one client
  /// at a time.
  static Result<std::shared_ptr<Server>> open(const TargetUri& target);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Connects unless already connected.
  Status connect();
  /// Closes the connection; the server can then accept another one.
  void leave();
  /// Sends a request and waits for the data of its answer: `limit` for each part of the request and
  /// for the answer. A refusal contains the server's logged message, if any. Without an answer the
  /// connection is closed, because a late answer would be taken for that of another request.
  Result<Bytes> ask(protocol::Type type, ByteView payload, std::chrono::milliseconds limit);

  std::mutex& exchange() { return exchange_; }
  const Manner& manner() const { return manner_; }
  const std::string& address() const { return address_; }
  /// The session whose model the server holds; 0 if none, or if the connection was closed.
  std::uint64_t model_of() const { return model_of_; }
  void set_model_of(std::uint64_t session) { model_of_ = session; }

 private:
  /// Why a request got no data.
  struct Unanswered {
    std::string why;
    /// Refused by the server; else the stream is out of step and its next bytes cannot be
    /// interpreted.
    bool refused = false;
  };

  explicit Server(const TargetUri& target);
  Status connect_within(std::chrono::milliseconds limit);
  Status greet();
  Status ping();
  /// Sends STATS if the server is still sampling since its last MODEL.
  void end_sampling();
  Status send(const protocol::Outgoing& message, std::chrono::milliseconds limit);
  std::variant<Bytes, Unanswered> receive(protocol::Type type, std::chrono::milliseconds limit);
  Result<Bytes> answer_to(protocol::Type type, std::chrono::milliseconds limit);
  /// Closes the connection and returns the reason.
  Error broken(const std::string& why);
  void disconnect();

  TargetUri target_;
  Manner manner_;
  std::string address_;
  std::mutex exchange_;
  std::unique_ptr<transport::Connection> connection_;  ///< Null once closed.
  std::optional<protocol::MessageReader> reader_;
  std::vector<std::string> logs_;  ///< Messages logged since the last request.
  bool has_answered_ = false;      ///< The server has answered at least once, on any connection.
  std::uint64_t model_of_ = 0;
  /// The server received MODEL and no STATS since: it samples its machine until then. Like the
  /// sampling, this survives the connection.
  bool is_sampling_ = false;
};

}  // namespace edgeprobe::engine::kenning
