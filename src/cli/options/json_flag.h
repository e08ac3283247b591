// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "cli/options/parser.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// --json [FILE]: to stdout instead of the text, or to a file in addition to it.
struct JsonFlag {
  bool wanted = false;
  std::string file;
};
void add_json(Parser& parser, JsonFlag& flag);

/// Writes `text` to the flag's file, or to `out` if there is none.
Status write_result(const JsonFlag& flag, const std::string& text, std::ostream& out);

}  // namespace edgeprobe::cli
