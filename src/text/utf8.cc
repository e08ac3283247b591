// SPDX-License-Identifier: Apache-2.0
#include "text/utf8.h"

namespace edgeprobe::text {
namespace {

/// Length of the character that begins with `lead`, and the range of its second byte; 0 if invalid.
struct Form {
  std::size_t bytes = 0;
  unsigned low = 0x80, high = 0xbf;
};

Form form_of(unsigned lead) {
  if (lead < 0x80) return {1};
  if (lead < 0xc2) return {};
  if (lead < 0xe0) return {2};
  if (lead == 0xe0) return {3, 0xa0, 0xbf};
  if (lead == 0xed) return {3, 0x80, 0x9f};  // Surrogates are not characters.
  if (lead < 0xf0) return {3};
  if (lead == 0xf0) return {4, 0x90, 0xbf};
  if (lead < 0xf4) return {4};
  if (lead == 0xf4) return {4, 0x80, 0x8f};
  return {};
}

}  // namespace

std::optional<std::size_t> first_bad_byte(std::string_view text) {
  const auto byte = [&](std::size_t at) { return unsigned{static_cast<unsigned char>(text[at])}; };
  for (std::size_t at = 0; at < text.size();) {
    const Form form = form_of(byte(at));
    if (form.bytes == 0 || at + form.bytes > text.size()) return at;
    for (std::size_t i = 1; i < form.bytes; ++i) {
      const unsigned low = i == 1 ? form.low : 0x80, high = i == 1 ? form.high : 0xbf;
      if (byte(at + i) < low || byte(at + i) > high) return at;
    }
    at += form.bytes;
  }
  return std::nullopt;
}

}  // namespace edgeprobe::text
