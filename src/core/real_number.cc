// SPDX-License-Identifier: Apache-2.0
#include "core/real_number.h"

#include <charconv>
#include <locale>
#include <sstream>
#include <string>
#include <version>

namespace edgeprobe {

std::optional<float> float_by_stream(std::string_view text) {
  // A stream also reads hexadecimal numbers and leading spaces.
  if (text.empty() || text.front() == '+' ||
      text.find_first_not_of("0123456789+-.eE") != std::string_view::npos)
    return std::nullopt;
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  float value = 0;
  stream >> value;
  if (stream.fail() || stream.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
  return value;
}

std::optional<float> float_of(std::string_view text) {
#ifdef __cpp_lib_to_chars
  float value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
#else
  return float_by_stream(text);
#endif
}

}  // namespace edgeprobe
