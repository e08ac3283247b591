// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "report/page/parts.h"
#include "report/text/columns.h"

namespace edgeprobe::report {
namespace {

/// Two lines of a wide window.
constexpr std::size_t kLongestHead = 110;
/// A shorter head is not a useful sentence.
constexpr std::size_t kShortestHead = 24;

/// The last position at which `text` may be split, after one of the marks; 0: none.
std::size_t last_break(const std::string& text, std::initializer_list<const char*> marks) {
  std::size_t best = 0;
  for (const char* mark : marks)
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1))
      if (at >= kShortestHead && columns(text.substr(0, at)) <= kLongestHead)
        best = std::max(best, at);
  return best;
}

}  // namespace

SplitHeadline split_headline(const std::string& text) {
  if (columns(text) <= kLongestHead) return {text, ""};
  for (const auto& marks : {std::initializer_list<const char*>{"; "}, {". "}}) {
    const std::size_t at = last_break(text, marks);
    if (at > 0) return {text.substr(0, at), text.substr(at + 2)};
  }
  std::size_t at = last_break(text, {", ", " (", " and ", " but "});
  if (at == 0) at = last_break(text, {" "});
  // A single word longer than two lines.
  if (at == 0)
    for (at = kShortestHead; at < text.size() && (text[at] & 0xc0) == 0x80; ++at) {
    }
  const std::size_t next = text.find_first_not_of(", ", at);
  return {text.substr(0, at) + " …", "… " + text.substr(std::min(next, text.size()))};
}

std::string without_advice(std::string text) {
  const auto advice = diagnose::kSeePictures;
  if (const auto at = text.find(advice); at != std::string::npos)
    return text.erase(at, advice.size());
  // The advice may name the page instead of the flag: removes that form, too.
  const std::string named = std::string(advice.substr(0, advice.find(':'))) + " in ";
  const auto at = text.find(named);
  return at == std::string::npos ? text : text.erase(at, text.find("; ", at + 1) - at);
}

}  // namespace edgeprobe::report
