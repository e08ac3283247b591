// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace edgeprobe {

/// (1, "frame") -> "1 frame", (4, "frame") -> "4 frames".
inline std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// Of those that are all there are: "the only frame", "the 4 frames".
inline std::string the_counted(std::size_t count, std::string_view noun) {
  return count == 1 ? "the only " + std::string(noun) : "the " + counted(count, noun);
}

}  // namespace edgeprobe
