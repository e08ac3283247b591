// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace edgeprobe::report {

/// Text as HTML text or as a quoted attribute: made sanitized, cut at `longest` bytes, & < > " '
/// escaped.
std::string escaped(std::string_view text, std::size_t longest = 1000);
/// The same as XML, where an apostrophe stays. XML 1.0 has no control characters; sanitized()
/// leaves none.
std::string escaped_xml(std::string_view text, std::size_t longest);
/// As escaped(), for several lines of code: line ends stay.
std::string escaped_lines(std::string_view text);

/// The style sheet, without the tags.
const char* style_sheet();

}  // namespace edgeprobe::report
