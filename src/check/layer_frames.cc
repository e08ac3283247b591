// SPDX-License-Identifier: Apache-2.0
#include "check/layer_frames.h"

#include "stats/splitmix.h"

namespace edgeprobe::check {

std::optional<std::vector<std::uint32_t>> layer_frames(const std::vector<std::uint32_t>& all) {
  if (all.size() <= kLayerFrames) return std::nullopt;
  std::uint64_t random = 1;
  std::vector<std::uint32_t> drawn;
  for (std::size_t part = 0; part < kLayerFrames; ++part) {
    const std::size_t from = part * all.size() / kLayerFrames,
                      to = (part + 1) * all.size() / kLayerFrames;
    drawn.push_back(all[from + stats::splitmix64(random) % (to - from)]);
  }
  return drawn;
}

}  // namespace edgeprobe::check
