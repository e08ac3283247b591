// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace edgeprobe::trace {

/// Rule E of docs/reference/trace-format.md: converts any bytes to valid UTF-8 without control
/// characters, and back.
std::string escape(std::string_view name);
std::string unescape(std::string_view text);

/// True if all bytes are valid UTF-8.
bool is_utf8(std::string_view text);

/// The text with invalid UTF-8 replaced by U+FFFD, for display only.
std::string as_utf8(std::string_view text);

/// "traces/<dataset>/<model>/<config>_<preprocess>.mcap" below `root`. Each part becomes a plain
/// file name: no '/', no "..", no control characters, at most 80 bytes (shortened parts stay
/// distinct).
std::filesystem::path conventional_path(const std::filesystem::path& root, std::string_view dataset,
                                        std::string_view model, std::string_view config,
                                        std::string_view preprocess);

/// One part of such a path, or of a name inside an archive.
std::string file_name_part(std::string_view text, std::size_t longest = 80);

}  // namespace edgeprobe::trace
