// SPDX-License-Identifier: Apache-2.0
#include "layers/recorded_frames.h"

#include <algorithm>

namespace edgeprobe::layers {

bool holds(const trace::Reader& reader, std::uint32_t frame, const trace::ReadChannel& channel) {
  if (channel.messages == 0) return false;
  const auto message = reader.read(frame, channel.id);
  return !message || message->has_value();
}

std::vector<std::uint32_t> frames_with_layers(const trace::Reader& reader) {
  std::vector<const trace::ReadChannel*> layers;
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kLayer) layers.push_back(&channel);
  std::vector<std::uint32_t> frames;
  for (const std::uint32_t frame : reader.frames())
    if (std::any_of(layers.begin(), layers.end(),
                    [&](const trace::ReadChannel* layer) { return holds(reader, frame, *layer); }))
      frames.push_back(frame);
  return frames;
}

}  // namespace edgeprobe::layers
