// SPDX-License-Identifier: Apache-2.0
#include "cli/options/json_flag.h"

#include <ostream>

#include "core/file.h"

namespace edgeprobe::cli {

void add_json(Parser& parser, JsonFlag& flag) {
  parser
      .option(
          "--json",
          [&flag](const std::string& file) {
            flag = {true, file == "-" ? "" : file};
          },
          "Write the result as JSON to standard output or FILE")
      .optional_value("[FILE]");
}

Status write_result(const JsonFlag& flag, const std::string& text, std::ostream& out) {
  if (!flag.file.empty()) return write_file(flag.file, view_of(text));
  out << text;
  if (text.empty() || text.back() != '\n') out << '\n';
  return {};
}

}  // namespace edgeprobe::cli
