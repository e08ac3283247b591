// SPDX-License-Identifier: Apache-2.0
#include "report/text/columns.h"

#include <algorithm>
#include <vector>

namespace edgeprobe::report {
namespace {

bool begins_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

}  // namespace

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_point));
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t used = columns(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

std::string right(const std::string& text, std::size_t width) {
  const std::size_t used = columns(text);
  return used < width ? std::string(width - used, ' ') + text : text;
}

std::string shortened(const std::string& text, std::size_t width, std::size_t head) {
  if (columns(text) <= width) return text;
  std::vector<std::string> points;
  for (const char c : text) {
    if (begins_point(c) || points.empty()) points.emplace_back();
    points.back() += c;
  }
  std::string out;
  for (std::size_t i = 0; i < head; ++i) out += points[i];
  out += "…";
  for (std::size_t i = points.size() - (width - 1 - head); i < points.size(); ++i) out += points[i];
  return out;
}

std::string wrapped(const std::string& first, const std::string& text, std::size_t width) {
  const std::string margin(columns(first), ' ');
  std::string out, line = first;
  bool is_empty = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, space - at);
    at = space + 1;
    if (!is_empty && columns(line) + 1 + columns(word) > width) {
      out += line + "\n";
      line = margin;
      is_empty = true;
    }
    line += (is_empty ? "" : " ") + word;
    is_empty = false;
  }
  return out + line + "\n";
}

}  // namespace edgeprobe::report
