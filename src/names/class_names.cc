// SPDX-License-Identifier: Apache-2.0
#include "names/class_names.h"

#include <algorithm>
#include <charconv>

#include "core/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "names/kinds.h"

namespace edgeprobe::names {
namespace {

struct Kind {
  bool (*is_it)(const Text& text);
  Result<Names> (*read)(const Text& text);
};
// The first matching kind is used; only tables accept a column.
constexpr Kind kKinds[] = {
    {is_items, read_items},
    {is_tree, read_tree},
    {is_numbered, read_numbered},
};

Result<Text> text_of(ByteView file, std::string_view ending) {
  Text text{file.text(), ending, {}};
  if (text.whole.starts_with("\xEF\xBB\xBF")) text.whole.remove_prefix(3);
  for (const std::string_view line : lines_of(text.whole)) {
    text.lines.push_back(without_blanks(line));
    if (!is_utf8(text.lines.back()))
      return Error{ErrorKind::kCorrupt, "line " + std::to_string(text.lines.size()) +
                                            " is not UTF-8: save the file in that encoding"};
    if (text.lines.size() > std::size_t{kMostClasses})
      return Error{ErrorKind::kLimit, "over " + std::to_string(kMostClasses) + " lines"};
  }
  while (!text.lines.empty() && text.lines.back().empty()) text.lines.pop_back();
  if (text.lines.empty()) return Error{ErrorKind::kCorrupt, "contains no name"};
  return text;
}

Result<Names> names_of(const Text& text, std::string_view column) {
  if (!column.empty() || is_table(text)) return read_table(text, column);
  for (const Kind& kind : kKinds)
    if (kind.is_it(text)) return kind.read(text);
  return read_lines(text);
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<int> class_number(std::string_view text) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc{} || end != text.data() + text.size() ||
      !(text[0] >= '0' && text[0] <= '9') || value >= kMostClasses)
    return std::nullopt;
  return value;
}

Result<Names> in_order(const Numbered& numbered) {
  int last = -1;
  for (const auto& [number, name] : numbered) last = std::max(last, number);
  if (last < 0) return Error{ErrorKind::kCorrupt, "contains no name"};
  if (last >= kMostClasses)
    return Error{ErrorKind::kLimit, "class " + std::to_string(last) + " is beyond the " +
                                        std::to_string(kMostClasses) + " that are read"};
  Names names(static_cast<std::size_t>(last) + 1);
  for (const auto& [number, name] : numbered) {
    std::string& place = names[static_cast<std::size_t>(number)];
    if (!place.empty() && place != name)
      return Error{ErrorKind::kCorrupt, "class " + std::to_string(number) + " has two names: " +
                                            in_quotes(place) + " and " + in_quotes(name)};
    place = name;
  }
  while (!names.empty() && names.back().empty()) names.pop_back();
  if (names.empty()) return Error{ErrorKind::kCorrupt, "contains no name"};
  return names;
}

Result<Names> class_names(ByteView file, std::string_view path, std::string_view column) {
  if (is_model(file)) return read_model(file);
  const std::size_t slash = path.find_last_of('/'), dot = path.find_last_of('.');
  const bool ends = dot != std::string_view::npos && (slash == path.npos || dot > slash);
  const std::string ending = ends ? lower_case(path.substr(dot)) : "";
  EP_TRY(const auto text, text_of(file, ending));
  return names_of(text, column);
}

Result<Names> read_class_names(const std::string& path, std::string_view column) {
  auto file = MappedFile::open(path);
  if (!file) return std::move(file.error()).during("label file");
  const std::string title = "label file '" + sanitized(path) + "'";
  if (!is_model(file->bytes()) && file->bytes().size > kMostFileBytes)
    return Error{ErrorKind::kLimit,
                 title + ": " + bytes_text(static_cast<double>(file->bytes().size)) + "; at most " +
                     bytes_text(static_cast<double>(kMostFileBytes)) + " are read"};
  auto names = class_names(file->bytes(), path, column);
  if (!names) return std::move(names.error()).during(title);
  return names;
}

}  // namespace edgeprobe::names
