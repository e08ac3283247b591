// SPDX-License-Identifier: Apache-2.0
#include "report/page/html.h"

#include "core/text.h"

namespace edgeprobe::report {

std::string escaped(std::string_view text, std::size_t longest) {
  std::string out;
  for (const char c : escaped_xml(text, longest))
    out += c == '\'' ? std::string("&#39;") : std::string(1, c);
  return out;
}

std::string escaped_xml(std::string_view text, std::size_t longest) {
  std::string out;
  for (const char c : sanitized(text, longest)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string escaped_lines(std::string_view text) {
  constexpr std::size_t kMostLines = 100;
  std::string out;
  for (std::size_t line = 0; line < kMostLines && !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (line > 0) out += '\n';
    out += escaped(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace edgeprobe::report
