// SPDX-License-Identifier: Apache-2.0
#include "cli/options/values.h"

#include <cmath>
#include <cstdlib>

#include "core/cpu_list.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

constexpr std::size_t kMostDigits = (kHighestCpu + 1) / 4;

/// 0 to 15; -1 if not a digit.
int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<std::uint64_t> bytes_from_text(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  double factor = 0;
  if (unit.empty() || unit == "B") factor = 1;
  else if (unit == "KB") factor = 1e3;
  else if (unit == "MB") factor = 1e6;
  else if (unit == "GB") factor = 1e9;
  else if (unit == "TB") factor = 1e12;
  if (end == text.c_str() || factor == 0 || !(value >= 0) || value * factor > 1e18)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(text) + "' is not a size; expected e.g. 500MB or 2GB"};
  return static_cast<std::uint64_t>(value * factor);
}

Result<double> share_from_text(const std::string& text, const char* flag) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  std::string unit = end;
  while (!unit.empty() && unit.front() == ' ') unit.erase(0, 1);
  const double share = unit == "%" ? value / 100 : value;
  if (end == text.c_str() || (!unit.empty() && unit != "%") || !std::isfinite(share) || share < 0 ||
      share > 1)
    return Error{ErrorKind::kUsage, std::string(flag) + " '" + sanitized(text, 60) +
                                        "': expected a share, e.g. 5% or 0.05"};
  return share;
}

Result<std::chrono::milliseconds> time_limit_from(double seconds) {
  if (!(seconds > 0) || seconds > 86'400)
    return Error{ErrorKind::kUsage, "--time-limit " + number(seconds, 9) +
                                        ": expected seconds, above 0 and at most 86400"};
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

Result<std::vector<int>> cpus_from_text(std::string_view text) {
  if (auto cpus = cpu_list_from_text(text)) return *std::move(cpus);
  return Error{ErrorKind::kUsage,
               "'" + sanitized(text, 60) + "': expected CPU numbers from 0, e.g. 0,2-3"};
}

Result<std::string> cpus_from_affinity(std::string_view text) {
  std::string_view digits = text;
  const bool prefixed = text.starts_with("0x") || text.starts_with("0X");
  if (prefixed) digits.remove_prefix(2);
  const bool lettered = text.find_first_of("abcdefABCDEF") != std::string_view::npos;
  const Error bad{ErrorKind::kUsage, "--core-affinity '" + sanitized(text, 60) +
                                         "': expected CPU numbers, e.g. 0,2-3, or a mask in "
                                         "hexadecimal digits, e.g. 0xf0"};
  if (!prefixed && !lettered) {
    if (!text.empty() && !cpus_from_text(text)) return bad;
    return std::string(text);
  }
  if (digits.empty() || digits.size() > kMostDigits) return bad;
  std::string cpus;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    // Starting at the lowest bit.
    const int value = hex_value(digits[digits.size() - 1 - i]);
    if (value < 0) return bad;
    for (std::size_t bit = 0; bit < 4; ++bit)
      if ((value >> bit & 1) != 0) cpus += (cpus.empty() ? "" : ",") + std::to_string(i * 4 + bit);
  }
  if (cpus.empty())
    return Error{ErrorKind::kUsage,
                 "--core-affinity '" + sanitized(text, 60) + "' is a mask without a CPU"};
  return cpus;
}

}  // namespace edgeprobe::cli
