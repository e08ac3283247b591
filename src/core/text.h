// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace edgeprobe {

/// Makes untrusted text (from a model, a file or the wire) safe to print: control characters, DEL
/// and broken UTF-8 become \xNN, and anything past `longest` bytes becomes "…".
std::string sanitized(std::string_view text, std::size_t longest = 160);

/// True if the bytes are UTF-8 without control and direction characters, except tabs and line ends:
/// the text that sanitized() leaves unchanged, plus white space.
bool is_utf8(std::string_view text);

/// The last line with content, sanitized; skips lines of blanks and rulers. Empty if there is none.
std::string last_line(std::string_view text, std::size_t longest);

/// The entry of `known` with the smallest edit distance to `word`, or "" if none is near (distance
/// over a third of its length, at least 2).
std::string closest_match(std::string_view word, const std::vector<std::string>& known);

/// Lower-cases ASCII letters.
std::string lower_case(std::string_view text);

/// "'conv1'": sanitized and quoted.
std::string in_quotes(std::string_view text, std::size_t longest = 100);

/// Applies `text` to each part and joins the results with `by`.
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

/// As printf's %.{digits}g, always with a '.', for any locale. NaN and infinities by name.
std::string number(double value, int digits = 4);
/// 0.4123 -> "41.2 %".
std::string percent(double share, int decimals = 1);
/// 1536 -> "1.5 KB" (powers of 1000, as disks are sold).
std::string bytes_text(double bytes);

/// (1, "frame") -> "1 frame", (4, "frame") -> "4 frames".
inline std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// The noun with its number, if all are meant: "the only frame", "the 4 frames".
inline std::string the_counted(std::size_t count, std::string_view noun) {
  return count == 1 ? "the only " + std::string(noun) : "the " + counted(count, noun);
}

}  // namespace edgeprobe
