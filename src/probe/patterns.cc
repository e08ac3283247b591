// SPDX-License-Identifier: Apache-2.0
#include "probe/patterns.h"

#include <algorithm>

#include "core/pattern.h"

namespace edgeprobe::probe {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return out;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

bool any_matches(const std::vector<std::string>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, text); });
}

}  // namespace

Patterns::Patterns(std::string_view include, std::string_view exclude)
    : include_(words(include)), exclude_(words(exclude)) {}

bool Patterns::wants(std::string_view text) const {
  return (include_.empty() || any_matches(include_, text)) && !any_matches(exclude_, text);
}

}  // namespace edgeprobe::probe
