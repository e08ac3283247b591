// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/command_line.h"

#include <string_view>

#include "core/text.h"

namespace edgeprobe::cli {
namespace {

/// bash's $'…': escapes bytes that a terminal would interpret as numbers.
std::string escaped_word(const std::string& word) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      text += {'\\', c};
    } else if (byte < 0x20 || byte >= 0x7f) {
      text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      text += c;
    }
  }
  return text + "'";
}

}  // namespace

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,@%+-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  if (!is_utf8(word) || word.find_first_of("\t\r\n") != std::string::npos)
    return escaped_word(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string command_line(const std::vector<std::string>& words) {
  std::string text = "edgeprobe";
  for (const std::string& word : words) text += " " + shell_word(word);
  return text;
}

}  // namespace edgeprobe::cli
