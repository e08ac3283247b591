// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "engine/wire.h"
#include "protocol/extension.h"
#include "serve/device.h"
#include "serve/peer.h"
#include "serve/recording_requests.h"
#include "serve/uploads.h"
#include "serve/work_queue.h"

namespace edgeprobe::serve {

/// The requests of our own client: several models, many requests in flight.
class ExtensionRequests {
 public:
  ExtensionRequests(Device& device, Uploads& uploads, Peer& peer)
      : device_(device), uploads_(uploads), peer_(peer), recordings_(device, uploads) {}

  /// What is answered while others are worked off: CANCEL and CLOCK. False for all others, which
  /// are to be queued. Called by the thread that reads.
  Result<bool> handle_at_once(const protocol::Message& message);
  /// Works one off and answers it. An error ends the connection.
  Status handle(const Work& work);

 private:
  Status serve(const protocol::ExtensionHeader& header, const Work& work, engine::wire::Reader& in,
               engine::wire::Writer& out);
  Status hello(engine::wire::Reader& in, engine::wire::Writer& out);
  Status load(engine::wire::Reader& in, engine::wire::Writer& out);
  Status infer(const Work& work, engine::wire::Reader& in, engine::wire::Writer& out);
  Status repeat(engine::wire::Reader& in, engine::wire::Writer& out);
  Result<engine::Session*> session(engine::wire::Reader& in);
  Status answer(protocol::ExtensionHeader header, const Status& done, engine::wire::Writer& out);
  bool take_cancelled(std::uint32_t request);

  Device& device_;
  Uploads& uploads_;
  Peer& peer_;
  RecordingRequests recordings_;
  /// A model that is loaded.
  struct Loaded {
    std::unique_ptr<engine::Session> session;
    std::uint64_t bytes = 0;
  };
  std::map<std::uint32_t, Loaded> sessions_;
  std::uint32_t last_session_ = 0;
  std::mutex cancelling_;
  std::map<std::uint32_t, bool> waiting_;  ///< Requests that have not begun: whether cancelled.
};

}  // namespace edgeprobe::serve
