// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace edgeprobe {

/// Nesting depth of a JSON text's brackets and braces, including those inside strings. Values are
/// copied and printed by recursion, so an untrusted text is measured before it is parsed.
inline std::size_t nesting_of(std::string_view json) {
  std::size_t depth = 0, deepest = 0;
  for (const char c : json) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    else if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return deepest;
}

}  // namespace edgeprobe
