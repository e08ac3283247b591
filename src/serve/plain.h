// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "protocol/io_spec.h"
#include "serve/device.h"
#include "serve/peer.h"
#include "serve/statistics.h"
#include "serve/work_queue.h"

namespace edgeprobe::serve {

/// The requests of a client of Kenning's: one model, one sample at a time.
class PlainRequests {
 public:
  PlainRequests(Device& device, Peer& peer, WorkQueue& queue)
      : device_(device), peer_(peer), queue_(queue) {}

  /// Works one off and answers it, whatever it is. An error ends the connection.
  Status handle(const protocol::Message& message);
  /// The engine's own memory for a DATA that is its only input whole; null otherwise. Called by the
  /// thread that reads, while nothing is worked off.
  std::byte* place(const protocol::Header& header);

 private:
  Status read_specification(ByteView payload);
  Status load(ByteView payload);
  Status take_inputs(const protocol::Message& message);
  Status process(const protocol::Header& request);
  Status infer();
  Status answer(const protocol::Header& request, const Status& done);
  Status answer_with(const protocol::Header& request, const Result<Bytes>& data);
  Status have_session();
  Result<Bytes> outputs();

  /// How the client wants PROCESS answered.
  enum class ProcessReplies { kUnknown, kOne, kTwo };

  Device& device_;
  Peer& peer_;
  WorkQueue& queue_;
  std::optional<protocol::IoSpec> specification_;
  Bytes model_;                ///< Kept: an engine process that died is started again.
  std::mutex session_change_;  ///< place() looks at the session from the reading thread.
  std::unique_ptr<engine::Session> session_;
  std::vector<std::size_t> inputs_, outputs_;  ///< The session's index of each of the client's.
  std::vector<Tensor> input_;                  ///< Of the session; empty: none has come.
  bool input_in_place_ = false;                ///< The engine's memory has it.
  bool float_inputs_ = false;                  ///< They came as floats and were quantised.
  std::vector<Tensor> output_;
  ProcessReplies replies_ = ProcessReplies::kUnknown;
  Statistics statistics_;
};

}  // namespace edgeprobe::serve
