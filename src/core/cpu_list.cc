// SPDX-License-Identifier: Apache-2.0
#include "core/cpu_list.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace edgeprobe {
namespace {

std::optional<int> cpu_from(std::string_view digits) {
  std::uint16_t value = 0;  // Unsigned: from_chars would accept a minus sign.
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc{} || end != digits.data() + digits.size() || value > kHighestCpu)
    return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::vector<int>> cpu_list_from_text(std::string_view text) {
  std::vector<int> cpus;
  for (std::string_view rest = text; !rest.empty();) {
    const auto comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    if (part.empty() || (comma != std::string_view::npos && rest.empty())) return std::nullopt;
    const auto dash = part.find('-');
    const auto first = cpu_from(part.substr(0, dash));
    const auto last = dash == std::string_view::npos
                          ? first
                          : cpu_from(part.substr(std::min(dash + 1, part.size())));
    if (!first || !last || *last < *first) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::string cpu_list_text(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpus[first]) +
            (last > first ? "-" + std::to_string(cpus[last]) : "");
    first = last + 1;
  }
  return text;
}

std::string cpu_mask_text(const std::vector<int>& cpus) {
  std::vector<unsigned> digits(1);  // Hexadecimal digits, the lowest four CPUs first.
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu > kHighestCpu) continue;
    const auto place = static_cast<std::size_t>(cpu / 4);
    if (place >= digits.size()) digits.resize(place + 1);
    digits[place] |= 1U << (cpu % 4);
  }
  std::string text;
  for (std::size_t i = digits.size(); i-- > 0;) text += "0123456789abcdef"[digits[i]];
  return text;
}

}  // namespace edgeprobe
