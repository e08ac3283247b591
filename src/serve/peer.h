// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/on_behalf.h"
#include "protocol/message_reader.h"
#include "protocol/parts.h"
#include "serve/options.h"
#include "transport/connection.h"

namespace edgeprobe::serve {

/// The client's transport.
enum class Carrier {
  kStream,  ///< A socket, or pipes.
  /// Has no connection begin or end, and may have noise in between: clients begin and end with
  /// PING, messages are sent in short parts with checksums, structures replace JSON.
  kSerialLine,
};

/// Error for a request that needs more than --memory.
Error no_memory();

/// A client on its connection: its generation, incoming and outgoing messages. One thread reads;
/// any thread may send.
class Peer {
 public:
  Peer(std::unique_ptr<transport::Connection> connection, const Options& options,
       const std::atomic<bool>* stop, Carrier carrier = Carrier::kStream)
      : connection_(std::move(connection)), options_(options), stop_(stop), carrier_(carrier) {}

  /// Waits for the client's first bytes, and greets it if none arrive. kTarget if it is gone.
  Status meet();
  /// Callback for each payload's memory; set it before read().
  void set_place(protocol::MessageReader::Place place) { place_ = std::move(place); }
  /// The next message; empty if the client has closed or the server stops. After an error, nothing
  /// more is read.
  Result<std::optional<protocol::Message>> read();

  /// Reuses memory of a payload that is no longer needed. Callable from any thread.
  void reuse(Bytes payload) { reader_->reuse(std::move(payload)); }

  /// True if more bytes are available or arrive within `limit`. For the reading thread.
  bool says_more(std::chrono::milliseconds limit);

  /// kTarget if the client does not read it in time.
  Status send(const protocol::Outgoing& message);
  /// Sends an EXTENSION whose payload is in pieces.
  Status send(const protocol::Outgoing& message, const std::vector<ByteView>& payload);
  /// Sends an error message and the failure of the request.
  Status fail(const protocol::Header& request, std::string_view why);
  Status log(std::string_view text);
  /// Frees the memory of the message being read, stops reading it and fails it.
  void give_up(std::string_view why);
  /// After a refusal, reads and discards what the client still sends, until it is silent for half
  /// a second, for two seconds at most: closing with unread bytes would reset the connection, and
  /// the client would lose the refusal.
  void pass_over_rest();

  /// True once the server was asked to stop.
  bool is_stopping() const { return stop_ && stop_->load(std::memory_order_relaxed); }
  bool is_between_messages() const { return first_.empty() && reader_->is_idle(); }
  protocol::Generation generation() const { return generation_; }
  bool is_on_serial_line() const { return carrier_ == Carrier::kSerialLine; }
  /// True if neither the operator nor the transport determined the generation.
  bool is_detected() const { return !options_.protocol && !is_on_serial_line(); }
  const protocol::Header& last_header() const { return reader_->last_header(); }
  const std::string& name() const { return connection_->peer(); }
  void shut() { connection_->shut(); }
  /// The client on whose behalf engines are called.
  engine::OnBehalf::Client client() const { return {connection_->other_end(), stop_}; }
  /// Stops sending: the client has left the serial line, although the line is still open.
  void leave_line() { left_ = true; }

 private:
  process::Wait wait(std::chrono::milliseconds limit) const;
  Status greet();
  Status meet_on_line();
  /// Within a message: the maximum silence, and the deadline for which `came` bytes suffice.
  std::chrono::milliseconds silence_limit() const;
  process::Wait wait_for_more(process::Clock::time_point begun, std::size_t came) const;
  Error late(bool begun) const;
  /// True if the incoming bytes begin a new client's session. If not, they are kept.
  Result<bool> is_another_client();
  Status send_pieces(const std::vector<ByteView>& pieces);
  Status send_slowly(const std::vector<ByteView>& pieces);
  /// Reads until `first_` has this many bytes; kLate if none arrived.
  process::Transfer read_first(std::size_t size, std::chrono::milliseconds limit);
  /// True if the client uses TLS on a server without it; sends an alert.
  bool refuse_tls();

  std::unique_ptr<transport::Connection> connection_;
  const Options& options_;
  const std::atomic<bool>* stop_;
  Carrier carrier_;
  protocol::Generation generation_ = protocol::Generation::kG4;
  protocol::MessageReader::Place place_;
  std::optional<protocol::MessageReader> reader_;
  Bytes first_;  ///< Read while detecting the generation.
  std::mutex sending_;
  std::atomic<bool> left_{false};
};

}  // namespace edgeprobe::serve
