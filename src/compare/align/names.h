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

/// One line of a map file: a pair of tensor names.
struct MappedNames {
  std::string reference, target;
  std::size_t line = 0;  ///< Line number, from 1.

  bool operator==(const MappedNames&) const = default;
};

/// Reads a map file: two names per line, reference first, separated by spaces or tabs; or CSV
/// (lines with a comma), where quoted names may hold spaces and commas. Ignores blank lines, lines
/// that start with '#' and a first line "reference,target". kCorrupt names the line if it does not
/// hold two names, or a name occurs twice.
Result<std::vector<MappedNames>> parse_map(std::string_view text);

/// Checks that every name is a tensor of its side and that both shapes can be compared; kUsage
/// names the line and the nearest existing name.
Status check_map(const std::vector<MappedNames>& map, const std::vector<trace::Channel>& reference,
                 const std::vector<trace::Channel>& target);

/// True if any pattern matches the name or "<stage>/<name>".
bool fits_any(const std::vector<std::string>& patterns, trace::Stage stage, std::string_view name);

}  // namespace edgeprobe::compare
