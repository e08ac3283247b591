// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/wire.h"
#include "protocol/extension.h"
#include "serve/device.h"
#include "serve/peer.h"
#include "serve/recording_requests.h"
#include "serve/uploads.h"
#include "serve/work_queue.h"

namespace edgeprobe::serve {

/// The payload of a reply. Long values are not copied into it, but sent from where they are.
class ReplyWriter : public engine::wire::Writer {
 public:
  /// Like blob(), but keeps long bytes as they are.
  void keep(Bytes value);
  std::size_t size() const { return bytes().size() + kept_bytes_; }
  /// All bytes in order; valid until the next change.
  std::vector<ByteView> pieces() const;

 private:
  struct Kept {
    std::size_t at = 0;  ///< How many of our own bytes are before it.
    Bytes bytes;
  };
  std::vector<Kept> kept_;
  std::size_t kept_bytes_ = 0;
};

/// The requests of our own client: several models, many requests in flight.
class ExtensionRequests {
 public:
  ExtensionRequests(Device& device, Uploads& uploads, Peer& peer)
      : device_(device), uploads_(uploads), peer_(peer), recordings_(device, uploads) {}

  /// Requests answered while others are processed: CANCEL and CLOCK. False for all others, which
  /// must be queued. Called by the reading thread.
  Result<bool> handle_at_once(const protocol::Message& message);
  /// Processes a request and answers it. An error closes the connection.
  Status handle(const Work& work);

 private:
  Status serve(const protocol::ExtensionHeader& header, const Work& work, engine::wire::Reader& in,
               ReplyWriter& out);
  Status hello(engine::wire::Reader& in, engine::wire::Writer& out);
  Status load(engine::wire::Reader& in, engine::wire::Writer& out);
  Status infer(const Work& work, engine::wire::Reader& in, ReplyWriter& out);
  Status repeat(engine::wire::Reader& in, engine::wire::Writer& out);
  Result<engine::Session*> session(engine::wire::Reader& in);
  Status answer(protocol::ExtensionHeader header, const Status& done, ReplyWriter& out);
  bool take_cancelled(std::uint32_t request);

  Device& device_;
  Uploads& uploads_;
  Peer& peer_;
  RecordingRequests recordings_;
  /// A loaded model.
  struct Loaded {
    std::unique_ptr<engine::Session> session;
    std::uint64_t bytes = 0;
  };
  std::map<std::uint32_t, Loaded> sessions_;
  std::uint32_t last_session_ = 0;
  std::mutex cancelling_;
  std::map<std::uint32_t, bool> waiting_;  ///< Requests that have not started: whether cancelled.
};

}  // namespace edgeprobe::serve
