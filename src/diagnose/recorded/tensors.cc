// SPDX-License-Identifier: Apache-2.0
#include "diagnose/recorded/tensors.h"

#include <algorithm>

namespace edgeprobe::diagnose {

Result<std::optional<std::vector<Tensor>>> recorded_tensors(const trace::Reader& reader,
                                                            trace::Stage stage, std::uint32_t frame,
                                                            std::size_t most_bytes) {
  std::vector<const trace::ReadChannel*> channels;
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == stage) channels.push_back(&channel);
  std::stable_sort(channels.begin(), channels.end(), [](const auto* a, const auto* b) {
    return a->channel.position < b->channel.position;
  });
  std::vector<Tensor> tensors;
  std::size_t bytes = 0;
  for (const trace::ReadChannel* channel : channels) {
    EP_TRY(auto read, reader.read(frame, channel->id));
    if (!read) continue;
    bytes += read->bytes.size;
    if (bytes > most_bytes) return std::optional<std::vector<Tensor>>();
    tensors.push_back(read->copy());
  }
  if (tensors.empty()) return std::optional<std::vector<Tensor>>();
  return std::optional(std::move(tensors));
}

}  // namespace edgeprobe::diagnose
