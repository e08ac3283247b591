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

/// What a client comes over.
enum class Carrier {
  kStream,  ///< A socket, or pipes.
  /// It has no beginning and no end of its own, and noise between: clients begin and end with PING,
  /// messages go in short parts with a checksum, structures stand for JSON.
  kSerialLine,
};

/// Why a request fails that needs more than --memory.
Error no_memory();

/// A client on its connection: its generation, its messages in, ours out. One thread reads; any
/// may send.
class Peer {
 public:
  Peer(std::unique_ptr<transport::Connection> connection, const Options& options,
       const std::atomic<bool>* stop, Carrier carrier = Carrier::kStream)
      : connection_(std::move(connection)), options_(options), stop_(stop), carrier_(carrier) {}

  /// Waits for the client's first bytes, and greets it when none come. kTarget when it is gone.
  Status meet();
  /// Asked for a place for each payload; before read().
  void set_place(protocol::MessageReader::Place place) { place_ = std::move(place); }
  /// The next message; nothing when the client has closed or the server stops. An error is the last
  /// thing that is read.
  Result<std::optional<protocol::Message>> read();

  /// Memory of a payload that nobody needs any more, for one that is to come. Of any thread.
  void reuse(Bytes payload) { reader_->reuse(std::move(payload)); }

  /// Whether further bytes are there or come within `limit`. Of the thread that reads.
  bool says_more(std::chrono::milliseconds limit);

  /// kTarget when the client does not take it in time.
  Status send(const protocol::Outgoing& message);
  /// What went wrong, and the failure of the request.
  Status fail(const protocol::Header& request, std::string_view why);
  Status log(std::string_view text);
  /// Gives back the memory of what is being read, which is not read any further, and fails it.
  void give_up(std::string_view why);

  /// The server was told to end.
  bool is_stopping() const { return stop_ && stop_->load(std::memory_order_relaxed); }
  bool is_between_messages() const { return first_.empty() && reader_->is_idle(); }
  protocol::Generation generation() const { return generation_; }
  bool is_on_serial_line() const { return carrier_ == Carrier::kSerialLine; }
  /// Nothing told whether it is of g1: neither the operator nor the carrier.
  bool is_detected() const { return !options_.protocol && !is_on_serial_line(); }
  const protocol::Header& last_header() const { return reader_->last_header(); }
  const std::string& name() const { return connection_->peer(); }
  void shut() { connection_->shut(); }
  /// Whom engines are called for.
  engine::OnBehalf::Client client() const { return {connection_->other_end(), stop_}; }
  /// The client on a serial line is gone, though the line is not: what is being sent ends there.
  void leave_line() { left_ = true; }

 private:
  process::Wait wait(std::chrono::milliseconds limit) const;
  Status greet();
  Status meet_on_line();
  /// Within a message: how long it may be silent, and until when `came` bytes of it suffice.
  std::chrono::milliseconds silence_limit() const;
  process::Wait wait_for_more(process::Clock::time_point begun, std::size_t came) const;
  Error late(bool begun) const;
  /// Whether the bytes that come are the beginning of one that came after this client. They are
  /// kept unless they are.
  Result<bool> is_another_client();
  Status send_slowly(const std::vector<ByteView>& pieces);
  /// Reads until `first_` has so many bytes; kLate when none came.
  process::Transfer read_first(std::size_t size, std::chrono::milliseconds limit);
  /// Whether the client speaks TLS to a server without; it is told so.
  bool refuse_tls();

  std::unique_ptr<transport::Connection> connection_;
  const Options& options_;
  const std::atomic<bool>* stop_;
  Carrier carrier_;
  protocol::Generation generation_ = protocol::Generation::kG4;
  protocol::MessageReader::Place place_;
  std::optional<protocol::MessageReader> reader_;
  Bytes first_;  ///< Read while the generation was looked for.
  std::mutex sending_;
  std::atomic<bool> left_{false};
};

}  // namespace edgeprobe::serve
