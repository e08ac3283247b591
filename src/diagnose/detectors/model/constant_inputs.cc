// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/model/constant_inputs.h"

#include <algorithm>

#include "core/evenly_spaced.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kMostFrames = 16, kLeastElements = 16;

bool is_constant(const TensorView& tensor) {
  const std::size_t width = size_of(tensor.spec->dtype);
  if (width == 0 || tensor.bytes.size < kLeastElements * width) return false;
  // Each element equals the one before it.
  return std::equal(tensor.bytes.data + width, tensor.bytes.data + tensor.bytes.size,
                    tensor.bytes.data);
}

}  // namespace

bool has_constant_inputs(const trace::Reader& reader) {
  bool seen = false;
  for (const std::size_t i : evenly_spaced(reader.frames().size(), kMostFrames))
    for (const trace::ReadChannel& channel : reader.channels()) {
      if (channel.channel.stage != trace::Stage::kModelInput || channel.messages == 0) continue;
      const auto message = reader.read(reader.frames()[i], channel.id);
      if (!message || !*message) continue;
      if (!is_constant(**message)) return false;
      seen = true;
    }
  return seen;
}

}  // namespace edgeprobe::diagnose
