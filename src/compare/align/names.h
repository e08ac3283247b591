// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "trace/channel.h"

namespace edgeprobe::compare {

/// Limits of a map file (docs/reference/limits.md).
inline constexpr std::size_t kMostMapBytes = std::size_t{16} << 20, kMostMapLines = 100'000;

/// One line of a map file: two tensors that belong together.
struct MappedNames {
  std::string reference, target;
  std::size_t line = 0;  ///< From 1.

  bool operator==(const MappedNames&) const = default;
};

/// Reads a map file: two names a line, reference first, between them spaces or tabs; or CSV (a line
/// with a comma), whose quotes may hold names with spaces and commas. Blank lines, lines that start
/// with '#' and a first line "reference,target" are no entries. kCorrupt names the line: not two
/// names, or a name that stands there twice.
Result<std::vector<MappedNames>> parse_map(std::string_view text);

/// Every name is a tensor of its side, and the two have shapes that can be compared; kUsage names
/// the line and the nearest name that is there.
Status check_map(const std::vector<MappedNames>& map, const std::vector<trace::Channel>& reference,
                 const std::vector<trace::Channel>& target);

/// Whether any pattern fits the name or "<stage>/<name>".
bool fits_any(const std::vector<std::string>& patterns, trace::Stage stage, std::string_view name);

}  // namespace edgeprobe::compare
