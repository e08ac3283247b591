// SPDX-License-Identifier: Apache-2.0
#include "trace/json_text.h"

#include <algorithm>
#include <string>

#include "trace/names.h"

namespace edgeprobe::trace {
namespace {

constexpr int kMostExponent = 308;  // largest decimal exponent of a double

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool value(int depth) {
    skip_spaces();
    if (at_ == text_.size()) return false;
    switch (text_[at_]) {
      case '{': return list(depth, '}', true);
      case '[': return list(depth, ']', false);
      case '"': return string();
      case 't': return word("true");
      case 'f': return word("false");
      case 'n': return word("null");
      default: return number();
    }
  }
  bool is_at_end() {
    skip_spaces();
    return at_ == text_.size();
  }

 private:
  void skip_spaces() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool take(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  bool list(int depth, char end, bool has_keys) {
    if (depth == 0) return false;
    ++at_;
    skip_spaces();
    if (take(end)) return true;
    do {
      skip_spaces();
      if (has_keys) {
        if (!string()) return false;
        skip_spaces();
        if (!take(':')) return false;
      }
      if (!value(depth - 1)) return false;
      skip_spaces();
    } while (take(','));
    return take(end);
  }

  bool string() {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c == '\\' && !escape()) return false;
    }
    return false;
  }
  bool escape() {
    if (at_ == text_.size()) return false;
    const char c = text_[at_++];
    if (c != 'u') return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
    const int first = unit();
    if (first < 0xd800 || first > 0xdfff) return first >= 0;
    if (first > 0xdbff || !word("\\u")) return false;
    const int second = unit();
    return second >= 0xdc00 && second <= 0xdfff;
  }
  /// Reads four hexadecimal digits; -1 if there are none.
  int unit() {
    int unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const int digit = at_ < text_.size() ? hex_value(text_[at_]) : -1;
      if (digit < 0) return -1;
      unit = unit * 16 + digit;
    }
    return unit;
  }

  std::size_t digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ - start;
  }
  bool number() {
    (void)take('-');
    const bool is_zero = at_ < text_.size() && text_[at_] == '0';
    std::size_t whole = digits();
    if (whole == 0 || (is_zero && whole > 1)) return false;
    if (take('.') && digits() == 0) return false;
    if (!take('e') && !take('E')) return whole <= kMostExponent;
    const bool is_small = take('-');
    if (!is_small) (void)take('+');
    std::size_t exponent = 0, count = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_, ++count)
      exponent = std::min<std::size_t>(exponent * 10 + static_cast<std::size_t>(text_[at_] - '0'),
                                       2 * kMostExponent);
    return count > 0 && whole + (is_small ? 0 : exponent) <= kMostExponent;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_json(std::string_view text) {
  if (as_utf8(text) != text) return false;
  Scanner scanner(text);
  return scanner.value(kDeepestJson) && scanner.is_at_end();
}

std::size_t end_of_json(std::string_view text, std::size_t at) {
  // Does not use the recursive scanner: text that a parser accepted may be nested arbitrarily deep.
  const bool is_word = text[at] != '"' && text[at] != '{' && text[at] != '[';
  if (is_word) return std::min(text.find_first_of(",]} \t\r\n", at), text.size());
  std::size_t depth = 0;
  bool is_quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (is_quoted && c == '\\') ++at;
    else if (c == '"') is_quoted = !is_quoted;
    else if (!is_quoted && (c == '{' || c == '[')) ++depth;
    else if (!is_quoted && (c == '}' || c == ']')) --depth;
    if (depth == 0 && !is_quoted) return at + 1;
  }
  return text.size();
}

}  // namespace edgeprobe::trace
