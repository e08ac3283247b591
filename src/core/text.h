// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace edgeprobe {

/// Text from a model, a file or the wire made safe to print: control characters, DEL and broken
/// UTF-8 become \xNN, and anything past `longest` bytes becomes "…".
std::string sanitized(std::string_view text, std::size_t longest = 160);

/// Whether the bytes are UTF-8 without control and direction characters but tab and line ends:
/// what sanitized() leaves as it is, and white space.
bool is_utf8(std::string_view text);

/// The last line that says something, sanitized: not one of blanks and rulers alone. Empty when
/// there is none.
std::string last_line(std::string_view text, std::size_t longest);

/// The entry of `known` with the smallest edit distance to `word`, or "" when none is near
/// (distance over a third of its length, at least 2).
std::string closest_match(std::string_view word, const std::vector<std::string>& known);

/// ASCII letters in lower case.
std::string lower_case(std::string_view text);

/// "'conv1'": sanitized, between quotes.
std::string in_quotes(std::string_view text, std::size_t longest = 100);

/// What `text` makes of each part, with `by` between them.
template <class Parts, class Text>
std::string joined(const Parts& parts, std::string_view by, Text&& text) {
  std::string out;
  bool is_first = true;
  for (const auto& part : parts) {
    if (!is_first) out += by;
    out += text(part);
    is_first = false;
  }
  return out;
}
std::string joined(const std::vector<std::string>& parts, std::string_view by = ", ");
/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& words);

/// printf with %.{digits}g, always with a '.', for any locale. NaN and infinities by name.
std::string number(double value, int digits = 4);
/// 0.4123 -> "41.2 %".
std::string percent(double share, int decimals = 1);
/// 1536 -> "1.5 KB" (powers of 1000, as disks are sold).
std::string bytes_text(double bytes);

/// (1, "frame") -> "1 frame", (4, "frame") -> "4 frames".
inline std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// Of those that are all there are: "the only frame", "the 4 frames".
inline std::string the_counted(std::size_t count, std::string_view noun) {
  return count == 1 ? "the only " + std::string(noun) : "the " + counted(count, noun);
}

}  // namespace edgeprobe
