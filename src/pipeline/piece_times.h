// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"
#include "trace/record/writer.h"

namespace edgeprobe::pipeline {

/// Writes when each piece of a model ran: one span for each piece, with the key `processor`.
class PieceTimesWriter {
 public:
  explicit PieceTimesWriter(trace::Writer& writer) : writer_(writer) {}

  /// `time_ns`: start time of the frame, used as the start of its invocation.
  Status write(const std::vector<engine::PieceTime>& pieces, std::uint32_t frame,
               std::uint64_t time_ns);

 private:
  trace::Writer& writer_;
  std::map<std::pair<std::string, std::string>, trace::ChannelId> channels_;
};

}  // namespace edgeprobe::pipeline
