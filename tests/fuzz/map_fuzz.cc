// SPDX-License-Identifier: Apache-2.0
// Map files: any bytes become pairs of whole names or an error.
#include <cstdint>
#include <cstdlib>

#include "compare/align/names.h"
#include "core/pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto map = edgeprobe::compare::parse_map(text))
    for (const auto& pair : *map)
      if (pair.reference.empty() || pair.target.empty() || pair.line == 0) std::abort();
  const std::size_t middle = text.find('\n');
  if (middle != std::string_view::npos)
    static_cast<void>(edgeprobe::matches(text.substr(0, middle), text.substr(middle + 1)));
  return 0;
}
