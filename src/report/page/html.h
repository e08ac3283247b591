// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace edgeprobe::report {

/// Text as HTML text or quoted attribute: sanitized, truncated at `longest` bytes, with & < > " '
/// escaped.
std::string escaped(std::string_view text, std::size_t longest = 1000);
/// Same for XML, without escaping apostrophes. XML 1.0 forbids control characters; sanitized()
/// removes them.
std::string escaped_xml(std::string_view text, std::size_t longest);
/// Like escaped(), for several lines of code: keeps line ends.
std::string escaped_lines(std::string_view text);

/// The style sheet, without the tags.
const char* style_sheet();

/// Script of a page. Tables have none; a verdict has buttons that copy code (or select it without a
/// clipboard), and expands collapsed parts before printing.
enum class PageScript { kNone, kCopy };

/// A page up to and including <body>, with a content security policy that forbids every download
/// and every script except that of page_end(). Escapes `title`. `style` is appended to
/// style_sheet().
std::string page_begin(std::string_view title, PageScript script, std::string_view style = "");
/// The footer, and the script if there is one.
std::string page_end(PageScript script);

}  // namespace edgeprobe::report
