// SPDX-License-Identifier: Apache-2.0
#include "trace/names.h"

#include <cstdint>
#include <cstring>

#include "trace/mcap/crc32.h"

namespace edgeprobe::trace {
namespace {

constexpr char kUpper[] = "0123456789ABCDEF";
constexpr char kLower[] = "0123456789abcdef";

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Length of the valid UTF-8 sequence that starts at `at` (RFC 3629: no overlong forms, no
// surrogates), or 0.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (text.size() - at < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte_at(text, at + i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte_at(text, at + 1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second > 0x9f;
  const bool too_large = lead == 0xf4 && second > 0x8f;
  return overlong || surrogate || too_large ? 0 : length;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string escape(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (std::size_t at = 0; at < name.size();) {
    const unsigned byte = byte_at(name, at);
    const std::size_t length = sequence_length(name, at);
    if (length == 0 || byte < 0x20 || byte == 0x7f || byte == '%') {
      out += '%';
      out += kUpper[byte >> 4];
      out += kUpper[byte & 15];
      ++at;
    } else {
      out.append(name.substr(at, length));
      at += length;
    }
  }
  return out;
}

std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && text.size() - at > 2) {
      const int high = digit_value(text[at + 1]), low = digit_value(text[at + 2]);
      if (high >= 0 && low >= 0) {
        out += static_cast<char>(high * 16 + low);
        at += 2;
        continue;
      }
    }
    out += text[at];
  }
  return out;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t eight = 0;  // ASCII, the usual case, is processed eight bytes at a time
    while (text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if (eight & 0x8080808080808080u) break;
      at += sizeof eight;
    }
    if (at == text.size()) break;
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string as_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      ++at;
    } else {
      out.append(text.substr(at, length));
      at += length;
    }
  }
  return out;
}

std::string file_name_part(std::string_view text, std::size_t longest) {
  std::string out;
  for (std::size_t at = 0; at < text.size() && out.size() <= longest;) {
    const unsigned byte = byte_at(text, at);
    const std::size_t length = sequence_length(text, at);
    const bool plain =
        length != 0 && byte >= 0x20 && byte != 0x7f && byte != '/' && byte != '\\' && byte != ':';
    if (!plain || (byte == '.' && at == 0)) {
      out += '_';
      ++at;
    } else {
      out.append(text.substr(at, length));
      at += length;
    }
  }
  if (out.empty()) return "unknown";
  if (out.size() > longest) {
    // Reserves nine bytes for "~" and the checksum of the whole text; never cuts a UTF-8 sequence.
    std::size_t keep = longest > 9 ? longest - 9 : 0;
    while (keep > 0 && (byte_at(out, keep) & 0xc0) == 0x80) --keep;
    out.resize(keep);
    out += '~';
    const std::uint32_t sum = crc32(view_of(text));
    for (int shift = 28; shift >= 0; shift -= 4) out += kLower[(sum >> shift) & 15];
  }
  return out;
}

std::filesystem::path conventional_path(const std::filesystem::path& root, std::string_view dataset,
                                        std::string_view model, std::string_view config,
                                        std::string_view preprocess) {
  return root / file_name_part(dataset) / file_name_part(model) /
         (file_name_part(config) + "_" + file_name_part(preprocess) + ".mcap");
}

}  // namespace edgeprobe::trace
