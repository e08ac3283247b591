// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace edgeprobe::trace {

/// JSON without a library, for records written often: independent of the locale, and no allocation
/// if `out` has room.

/// `text` in quotes. It must be valid UTF-8.
void append_json_text(std::string& out, std::string_view text);
void append_json_number(std::string& out, std::int64_t value);
void append_json_number(std::string& out, std::uint64_t value);
/// Appends the shortest text that reads back as the same number, which must be finite.
void append_json_number(std::string& out, double value);

/// Deepest nesting of arrays and objects that is_json() accepts.
inline constexpr int kDeepestJson = 64;

/// True if the text is one JSON value (RFC 8259) that every trace reader accepts: valid UTF-8, no
/// lone surrogates, numbers below 1e308, at most kDeepestJson levels. Uses no library because this
/// code is linked into applications.
bool is_json(std::string_view text);

/// Offset after the JSON value that begins at `at`, in a text accepted by is_json() or a parser.
std::size_t end_of_json(std::string_view text, std::size_t at);

}  // namespace edgeprobe::trace
