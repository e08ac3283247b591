// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace edgeprobe::report {

/// Terminal columns of a UTF-8 text, one for each code point.
std::size_t columns(std::string_view text);
/// Padded with spaces to `width` columns, after or before the text; longer text is unchanged.
std::string padded(std::string text, std::size_t width);
std::string right(const std::string& text, std::size_t width);
/// At most `width` columns: the first `head`, "…", and as many of the last as fit.
std::string shortened(const std::string& text, std::size_t width, std::size_t head);
/// Lines of at most `width` columns, broken at spaces; the first begins with `first`, the others
/// with equal indentation. A longer word gets its own line. Ends with a newline.
std::string wrapped(const std::string& first, const std::string& text, std::size_t width);

}  // namespace edgeprobe::report
