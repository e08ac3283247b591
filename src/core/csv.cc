// SPDX-License-Identifier: Apache-2.0
#include "core/csv.h"

#include <algorithm>

namespace edgeprobe {

std::vector<std::string_view> lines_of(std::string_view text) {
  // The byte order mark with which some editors and spreadsheets begin a file.
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

Result<std::vector<std::string>> csv_fields(std::string_view line) {
  std::vector<std::string> fields;
  std::size_t at = 0;
  while (true) {
    std::string field;
    if (at < line.size() && line[at] == '"') {
      const std::size_t opened = at++;
      while (true) {
        const std::size_t quote = line.find('"', at);
        if (quote == std::string_view::npos)
          return Error{ErrorKind::kCorrupt,
                       "column " + std::to_string(opened + 1) + ": a quote is never closed"};
        field.append(line.substr(at, quote - at));
        at = quote + 1;
        if (at >= line.size() || line[at] != '"') break;
        field += '"';
        ++at;
      }
      if (at < line.size() && line[at] != ',')
        return Error{ErrorKind::kCorrupt, "column " + std::to_string(at + 1) +
                                              ": expected a comma after the closing quote"};
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      field.assign(line.substr(at, end - at));
      at = end;
    }
    fields.push_back(std::move(field));
    if (at >= line.size()) return fields;
    ++at;  // the comma; a field follows it even at the end of the line
    if (at == line.size()) {
      fields.emplace_back();
      return fields;
    }
  }
}

}  // namespace edgeprobe
