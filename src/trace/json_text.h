// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace edgeprobe::trace {

/// JSON without a library, for records that are written often: the same in every locale, and no
/// allocation where `out` has room.

/// `text` in quotes. It must be valid UTF-8.
void append_json_text(std::string& out, std::string_view text);
void append_json_number(std::string& out, std::int64_t value);
void append_json_number(std::string& out, std::uint64_t value);
/// The shortest text that reads back as the same number. It must be finite.
void append_json_number(std::string& out, double value);

/// Nested arrays and objects that is_json() follows.
inline constexpr int kDeepestJson = 64;

/// Whether the text is one JSON value (RFC 8259) that every reader of a trace takes: valid UTF-8,
/// no half of a surrogate pair, numbers below 1e308, at most kDeepestJson levels. Without a
/// library: this goes into other people's applications.
bool is_json(std::string_view text);

/// Place behind the JSON value that begins at `at`, in a text that is_json() or a parser took.
std::size_t end_of_json(std::string_view text, std::size_t at);

}  // namespace edgeprobe::trace
