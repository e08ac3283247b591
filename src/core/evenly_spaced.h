// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace edgeprobe {

/// At most `most` of the indices 0 … all - 1, evenly spread and ascending; the first is always 0.
inline std::vector<std::size_t> evenly_spaced(std::size_t all, std::size_t most) {
  std::vector<std::size_t> picked;
  const std::size_t count = std::min(all, most);
  for (std::size_t i = 0; i < count; ++i) picked.push_back(i * all / count);
  return picked;
}

}  // namespace edgeprobe
