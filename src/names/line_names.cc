// SPDX-License-Identifier: Apache-2.0
#include "names/kinds.h"

namespace edgeprobe::names {
namespace {

// Distinguishes line numbers from quantities: lists with gaps (80 names for 90 classes) contain
// most numbers, quantities ("10 km/h", "50 km/h") do not.
constexpr int kMostGaps = 2;

struct Line {
  int number = 0;
  std::string_view name;
};

// "0 tench", "0: tench", "0,tench", "0\ttench", "0=tench".
std::optional<Line> numbered_line(std::string_view line) {
  const std::size_t digits = line.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  const auto number = class_number(line.substr(0, digits));
  std::string_view rest = line.substr(digits);
  if (!number || std::string_view(" \t:,;=").find(rest[0]) == std::string_view::npos)
    return std::nullopt;
  rest = without_blanks(rest);
  if (!rest.empty() && std::string_view(":,;=").find(rest[0]) != std::string_view::npos)
    rest = without_blanks(rest.substr(1));
  if (rest.empty()) return std::nullopt;
  return Line{*number, rest};
}

}  // namespace

Result<Names> read_lines(const Text& text) { return Names(text.lines.begin(), text.lines.end()); }

bool is_numbered(const Text& text) {
  int before = -1, count = 0;
  for (const std::string_view line : text.lines) {
    if (line.empty()) continue;
    const auto found = numbered_line(line);
    if (!found || found->number <= before || (count == 0 && found->number > 1)) return false;
    before = found->number;
    ++count;
  }
  return count > 1 && before < kMostGaps * count;
}

Result<Names> read_numbered(const Text& text) {
  Numbered numbered;
  for (const std::string_view line : text.lines)
    if (const auto found = numbered_line(line))
      numbered.emplace_back(found->number, std::string(found->name));
  return in_order(numbered);
}

}  // namespace edgeprobe::names
