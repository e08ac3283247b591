// SPDX-License-Identifier: Apache-2.0
#include "cli/options/map_flag.h"

#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::cli {

void add_map(Parser& parser, std::string& file) {
  parser
      .option("--map", file,
              "Pairs of tensors: a file with two names per line (or CSV), reference first")
      .type("FILE");
}

Result<std::vector<compare::MappedNames>> map_from(const std::string& file) {
  std::vector<compare::MappedNames> map;
  if (file.empty()) return map;
  const auto bytes = read_file(file, compare::kMostMapBytes);
  if (!bytes) return Error(bytes.error()).during("--map");
  auto read = compare::parse_map(ByteView(*bytes).text());
  if (!read) return std::move(read.error()).during("--map '" + sanitized(file) + "'");
  return read;
}

}  // namespace edgeprobe::cli
