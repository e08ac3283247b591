// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace edgeprobe::trace {

/// Rule E of docs/reference/trace-format.md: any bytes as valid UTF-8 without control characters,
/// and back.
std::string escape(std::string_view name);
std::string unescape(std::string_view text);

/// Whether all bytes are part of valid UTF-8.
bool is_utf8(std::string_view text);

/// The text with bytes that are not UTF-8 replaced by U+FFFD (for values that are only shown).
std::string as_utf8(std::string_view text);

/// "traces/<dataset>/<model>/<config>_<preprocess>.mcap" below `root`. Each part is made a plain
/// file name: no '/', no "..", no control characters, at most 80 bytes (parts that were cut stay
/// distinct).
std::filesystem::path conventional_path(const std::filesystem::path& root, std::string_view dataset,
                                        std::string_view model, std::string_view config,
                                        std::string_view preprocess);

/// One part of such a path, or of a name inside an archive.
std::string file_name_part(std::string_view text, std::size_t longest = 80);

}  // namespace edgeprobe::trace
