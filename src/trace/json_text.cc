// SPDX-License-Identifier: Apache-2.0
#include "trace/json_text.h"

#include <charconv>

namespace edgeprobe::trace {
namespace {

template <class T>
void append(std::string& out, T value) {
  char text[32];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

}  // namespace

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += "0123456789abcdef"[c >> 4];
      out += "0123456789abcdef"[c & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_json_number(std::string& out, std::int64_t value) { append(out, value); }
void append_json_number(std::string& out, std::uint64_t value) { append(out, value); }
void append_json_number(std::string& out, double value) { append(out, value); }

}  // namespace edgeprobe::trace
