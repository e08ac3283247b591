// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace edgeprobe::trace
