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

/// Script of a page. Tables have none; a verdict has buttons that copy code, or select it where
/// there is no clipboard, and opens what is folded before it is printed.
enum class PageScript { kNone, kCopy };

/// A page up to and including <body>, with a content security policy that forbids every download
/// and every script but the one of page_end(). `title` is escaped. `style` follows style_sheet().
std::string page_begin(std::string_view title, PageScript script, std::string_view style = "");
/// The footer, and the script if there is one.
std::string page_end(PageScript script);

}  // namespace edgeprobe::report
