// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/command_line.h"

#include <string_view>

namespace edgeprobe::cli {
namespace {

/// As a shell would read it again.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,@%+-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string command_line(const std::vector<std::string>& words) {
  std::string text = "edgeprobe";
  for (const std::string& word : words) text += " " + shell_word(word);
  return text;
}

}  // namespace edgeprobe::cli
