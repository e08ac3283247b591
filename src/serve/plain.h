// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/io_spec.h"
#include "serve/device.h"
#include "serve/peer.h"
#include "serve/places.h"
#include "serve/statistics.h"

namespace edgeprobe::serve {

/// The requests of a Kenning client: one model, one sample at a time. All calls come from the
/// reading thread: this client waits for each answer, and a second thread would only add latency.
class PlainRequests {
 public:
  PlainRequests(Device& device, Peer& peer) : device_(device), peer_(peer) {}

  /// Processes any request and answers it. An error closes the connection.
  Status handle(protocol::Message message);
  /// The engine's own memory for a DATA that is its complete only input; null otherwise.
  std::byte* place(const protocol::Header& header);

 private:
  /// The answer to STATS.
  Bytes statistics();
  Status read_specification(ByteView payload);
  Status load(Bytes model);
  Status take_inputs(const protocol::Message& message);
  Status process(const protocol::Header& request);
  Status infer();
  Status answer(const protocol::Header& request, const Status& done);
  Status answer_with(const protocol::Header& request, const Result<Bytes>& data);
  Status have_session();
  /// Maps the client's tensors to the session's.
  Status place_tensors(const engine::Session& session);
  Result<Bytes> outputs();

  /// The reply to PROCESS that the client expects.
  enum class ProcessReplies { kUnknown, kOne, kTwo };

  Device& device_;
  Peer& peer_;
  std::optional<protocol::IoSpec> specification_;
  Bytes model_;  ///< Kept, so that an engine process that died can be restarted.
  std::unique_ptr<engine::Session> session_;
  std::vector<TensorPlace> inputs_, outputs_;  ///< For each client tensor, in the client's order.
  std::vector<Tensor> input_;                  ///< Inputs for the session; empty: none has arrived.
  bool input_in_place_ = false;                ///< The input is in the engine's memory.
  Floats floats_ = Floats::kNone;              ///< For the last DATA, and for the OUTPUT after it.
  std::vector<Tensor> output_;
  ProcessReplies replies_ = ProcessReplies::kUnknown;
  Statistics statistics_;
};

}  // namespace edgeprobe::serve
