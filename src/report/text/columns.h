// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace edgeprobe::report {

/// Columns of a terminal that UTF-8 text takes, one a code point.
std::size_t columns(std::string_view text);
/// Filled with spaces up to `width` columns, behind the text or in front of it; longer text stays
/// as it is.
std::string padded(std::string text, std::size_t width);
std::string right(const std::string& text, std::size_t width);
/// At most `width` columns: the first `head`, "…", and as many of the last as fit.
std::string shortened(const std::string& text, std::size_t width, std::size_t head);
/// Lines of at most `width` columns, broken at spaces; the first begins with `first`, the others
/// with as many spaces. A longer word has a line of its own. Ends with a newline.
std::string wrapped(const std::string& first, const std::string& text, std::size_t width);

}  // namespace edgeprobe::report
