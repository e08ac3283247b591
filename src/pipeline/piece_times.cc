// SPDX-License-Identifier: Apache-2.0
#include "pipeline/piece_times.h"

#include <cstring>

namespace edgeprobe::pipeline {

Status PieceTimesWriter::write(const std::vector<engine::PieceTime>& pieces, std::uint32_t frame,
                               std::uint64_t time_ns) {
  for (const engine::PieceTime& piece : pieces) {
    auto known = channels_.find({piece.processor, piece.piece});
    if (known == channels_.end()) {
      trace::Channel channel;
      channel.stage = trace::Stage::kSpan;
      channel.spec = {piece.piece, DType::kInt64, {2}, {}};
      channel.extra["processor"] = piece.processor;
      EP_TRY(const auto id, writer_.add_channel(channel));
      known = channels_.emplace(std::pair(piece.processor, piece.piece), id).first;
    }
    const std::int64_t span[2] = {static_cast<std::int64_t>(time_ns) + piece.start.count(),
                                  piece.time.count()};
    std::byte bytes[sizeof span];
    std::memcpy(bytes, span, sizeof span);
    EP_CHECK(writer_.write(known->second, frame, time_ns, ByteView(bytes, sizeof bytes)));
  }
  return {};
}

}  // namespace edgeprobe::pipeline
