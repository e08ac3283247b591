// SPDX-License-Identifier: Apache-2.0
#include "report/words/sentence.h"

#include <charconv>

#include "core/text.h"

namespace edgeprobe::report {
namespace {

int whole_from(std::string_view text, int unless_given) {
  int number = unless_given;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The value for one pair of braces.
std::string value_text(std::string_view place, const Values& values) {
  const char form = place.empty() ? ' ' : place.front();
  const bool is_real = form != '#' && form != '%' && form != '\'';
  if (!is_real) place.remove_prefix(1);
  const std::size_t colon = place.find(':');
  const std::string name(place.substr(0, colon));
  const std::string_view how = colon == place.npos ? "" : place.substr(colon + 1);
  if (is_real) return number(values.real(name.c_str()), whole_from(how, 3));
  if (form == '%') return percent(values.real(name.c_str()), whole_from(how, 1));
  if (form == '\'') {
    const std::string text = values.text(name.c_str());
    return how.empty() ? text : sanitized(text, static_cast<std::size_t>(whole_from(how, 0)));
  }
  const std::int64_t count = values.whole(name.c_str());
  if (how.empty()) return std::to_string(count);
  return std::to_string(count) + " " + std::string(how) + (count == 1 ? "" : "s");
}

}  // namespace

std::string filled(std::string_view sentence, const Values& values) {
  std::string text;
  for (;;) {
    const std::size_t open = sentence.find('{');
    text += sentence.substr(0, open);
    if (open == sentence.npos) return text;
    const std::size_t close = sentence.find('}', open);
    text += value_text(sentence.substr(open + 1, close - open - 1), values);
    if (close == sentence.npos) return text;
    sentence.remove_prefix(close + 1);
  }
}

}  // namespace edgeprobe::report
