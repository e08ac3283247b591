// SPDX-License-Identifier: Apache-2.0
#include "postprocess/tables.h"

#include <algorithm>
#include <numeric>

#include "core/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "trace/names.h"

namespace edgeprobe::postprocess {
namespace {

constexpr std::size_t kMostTableBytes = std::size_t{16} << 20;

std::string_view without_blanks(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

std::string lowered(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

Status load(Table& table) {
  auto bytes = read_file(table.file, kMostTableBytes);
  if (!bytes) return std::move(bytes.error()).during("label file");
  auto names = table_of(*bytes);
  if (!names) return std::move(names.error()).during("label file '" + sanitized(table.file) + "'");
  table.names = *std::move(names);
  return {};
}

}  // namespace

Result<std::vector<std::string>> table_of(ByteView text) {
  std::vector<std::string> names;
  for (const std::string_view line : lines_of(text.text())) {
    names.emplace_back(without_blanks(line));
    if (trace::as_utf8(names.back()) != names.back())
      return Error{ErrorKind::kCorrupt, "line " + std::to_string(names.size()) + " is no UTF-8"};
    if (names.size() > static_cast<std::size_t>(kMostClasses))
      return Error{ErrorKind::kLimit, "over " + std::to_string(kMostClasses) + " lines"};
  }
  while (!names.empty() && names.back().empty()) names.pop_back();
  if (names.empty()) return Error{ErrorKind::kCorrupt, "holds no name"};
  return names;
}

Status load_tables(Classification& recipe) {
  if (!recipe.labels) return {};
  EP_CHECK(load(recipe.labels->table));
  if (recipe.labels->other) return load(*recipe.labels->other);
  return {};
}

std::vector<std::string> in_order(const Labels& labels, TableOrder order) {
  std::vector<std::string> names = labels.table.names;
  std::vector<std::size_t> index(names.size());
  std::iota(index.begin(), index.end(), std::size_t{0});
  switch (order) {
    case TableOrder::kFile: break;
    case TableOrder::kAlphabetical: std::sort(names.begin(), names.end()); break;
    case TableOrder::kNoCase:
      std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
        return lowered(a) < lowered(b);
      });
      break;
    case TableOrder::kAsText: {
      std::sort(index.begin(), index.end(),
                [](std::size_t a, std::size_t b) { return std::to_string(a) < std::to_string(b); });
      for (std::size_t i = 0; i < names.size(); ++i) names[i] = labels.table.names[index[i]];
      break;
    }
    case TableOrder::kReversed: std::reverse(names.begin(), names.end()); break;
    case TableOrder::kOther:
      if (labels.other) names = labels.other->names;
      break;
    case TableOrder::kNumbers:
      for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::to_string(i);
      break;
  }
  return names;
}

}  // namespace edgeprobe::postprocess
