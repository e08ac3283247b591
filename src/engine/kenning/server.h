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

/// A foreign server at the other end of a connection: one request, its answer. It holds one model.
/// Whoever calls holds exchange() for the requests that belong together.
class Server {
 public:
  /// The one at this address that this process has already, else a new connection: a server serves
  /// one client at a time.
  static Result<std::shared_ptr<Server>> open(const TargetUri& target);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Connects unless it is connected.
  Status connect();
  /// Ends the connection; the server is ready for another one.
  void leave();
  /// Sends a request and waits for the data of its answer: `limit` for each part of the request and
  /// for the answer. A refusal has the server's own words where it logs them. Without an answer the
  /// connection ends: what came later would be taken for the answer to something else.
  Result<Bytes> ask(protocol::Type type, ByteView payload, std::chrono::milliseconds limit);

  std::mutex& exchange() { return exchange_; }
  const Manner& manner() const { return manner_; }
  const std::string& address() const { return address_; }
  /// The session whose model the server has; 0 for none. Of a connection that ended, none.
  std::uint64_t model_of() const { return model_of_; }
  void set_model_of(std::uint64_t session) { model_of_ = session; }

 private:
  /// Why a request has no data.
  struct Unanswered {
    std::string why;
    bool refused = false;  ///< By the server; otherwise nothing can be told of its next bytes.
  };

  explicit Server(const TargetUri& target);
  Status connect_within(std::chrono::milliseconds limit);
  Status greet();
  Status ping();
  /// STATS, where the server still samples for a MODEL that had none since.
  void end_sampling();
  Status send(const protocol::Outgoing& message, std::chrono::milliseconds limit);
  std::variant<Bytes, Unanswered> receive(protocol::Type type, std::chrono::milliseconds limit);
  Result<Bytes> answer_to(protocol::Type type, std::chrono::milliseconds limit);
  /// Ends the connection, with its reason.
  Error broken(const std::string& why);
  void disconnect();

  TargetUri target_;
  Manner manner_;
  std::string address_;
  std::mutex exchange_;
  std::unique_ptr<transport::Connection> connection_;  ///< Null once it ended.
  std::optional<protocol::MessageReader> reader_;
  std::vector<std::string> logs_;  ///< Since the last request.
  bool has_answered_ = false;      ///< Anything, on any connection.
  std::uint64_t model_of_ = 0;
  /// The server had a MODEL and no STATS since: it samples its machine until then. Outlives the
  /// connection, as the sampling does.
  bool is_sampling_ = false;
};

}  // namespace edgeprobe::engine::kenning
