// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace edgeprobe::trace {

/// Nested arrays and objects that is_json() follows.
inline constexpr int kDeepestJson = 64;

/// Whether the text is one JSON value (RFC 8259) that every reader of a trace takes: valid UTF-8,
/// no half of a surrogate pair, numbers below 1e308, at most kDeepestJson levels. Without a
/// library: this goes into other people's applications.
bool is_json(std::string_view text);

/// Place behind the JSON value that begins at `at`, in a text that is_json() or a parser took.
std::size_t end_of_json(std::string_view text, std::size_t at);

}  // namespace edgeprobe::trace
