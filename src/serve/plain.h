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

/// The requests of a client of Kenning's: one model, one sample at a time. All calls from the
/// thread that reads: such a client waits for each answer, and a second thread would only cost the
/// way to it.
class PlainRequests {
 public:
  PlainRequests(Device& device, Peer& peer) : device_(device), peer_(peer) {}

  /// Works one off and answers it, whatever it is. An error ends the connection.
  Status handle(protocol::Message message);
  /// The engine's own memory for a DATA that is its only input whole; null otherwise.
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
  /// Where the client's tensors are among the session's.
  Status place_tensors(const engine::Session& session);
  Result<Bytes> outputs();

  /// How the client wants PROCESS answered.
  enum class ProcessReplies { kUnknown, kOne, kTwo };

  Device& device_;
  Peer& peer_;
  std::optional<protocol::IoSpec> specification_;
  Bytes model_;  ///< Kept: an engine process that died is started again.
  std::unique_ptr<engine::Session> session_;
  std::vector<TensorPlace> inputs_, outputs_;  ///< Of each of the client's, in its order.
  std::vector<Tensor> input_;                  ///< Of the session; empty: none has come.
  bool input_in_place_ = false;                ///< The engine's memory has it.
  Floats floats_ = Floats::kNone;              ///< Of the last DATA, and of the OUTPUT after it.
  std::vector<Tensor> output_;
  ProcessReplies replies_ = ProcessReplies::kUnknown;
  Statistics statistics_;
};

}  // namespace edgeprobe::serve
