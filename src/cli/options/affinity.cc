// SPDX-License-Identifier: Apache-2.0
#include "cli/options/affinity.h"

#include "cli/options/flags.h"
#include "core/cpu_list.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

constexpr std::size_t kMostDigits = (kHighestCpu + 1) / 4;

/// 0 to 15; -1 for what is no digit.
int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

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
    // From the lowest bit on.
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
