// SPDX-License-Identifier: Apache-2.0
#include "compare/golden/scores_csv.h"

#include <charconv>
#include <cmath>
#include <map>

#include "core/csv.h"
#include "core/text.h"

namespace edgeprobe::compare {
namespace {

struct Columns {
  std::size_t sample = 0;
  std::optional<std::size_t> label;
  std::vector<std::size_t> scores;
};

Error at(std::size_t line, const std::string& what) {
  return {ErrorKind::kCorrupt, "line " + std::to_string(line) + ": " + what};
}

template <class T>
std::optional<T> number_in(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  T value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<Columns> columns_of(const std::vector<std::string>& header, std::size_t line) {
  Columns columns;
  bool named = false;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] == "sample" || header[i] == "file") {
      if (named) return at(line, "two columns name the sample");
      named = true;
      columns.sample = i;
    } else if (header[i] == "label") {
      columns.label = i;
    } else {
      columns.scores.push_back(i);
    }
  }
  if (!named)
    return at(line, "expected a header with a column 'sample', found '" +
                        sanitized(header.front(), 60) + "'");
  if (columns.scores.empty()) return at(line, "there is no column of scores next to 'sample'");
  return columns;
}

}  // namespace

Result<ScoreTable> parse_scores(std::string_view text) {
  if (text.size() > kMostCsvBytes)
    return Error{ErrorKind::kLimit,
                 "a table of scores has at most " + bytes_text(static_cast<double>(kMostCsvBytes))};
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  ScoreTable table;
  std::optional<Columns> columns;
  std::size_t width = 0;
  std::map<std::string, std::size_t> seen;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find_first_not_of(" \t,") == std::string_view::npos || lines[i].front() == '#')
      continue;
    auto fields = csv_fields(lines[i]);
    if (!fields) return std::move(fields.error()).during("line " + std::to_string(i + 1));
    if (!columns) {
      width = fields->size();
      if (width > kMostCsvColumns)
        return Error{ErrorKind::kLimit, "a table of scores has at most " +
                                            std::to_string(kMostCsvColumns) + " columns"};
      EP_TRY(columns, columns_of(*fields, i + 1));
      for (const std::size_t column : columns->scores) table.classes.push_back((*fields)[column]);
      continue;
    }
    if (fields->size() != width)
      return at(i + 1, "expected " + std::to_string(width) + " columns, found " +
                           std::to_string(fields->size()));
    if (table.rows.size() == kMostCsvRows)
      return Error{ErrorKind::kLimit,
                   "a table of scores has at most " + std::to_string(kMostCsvRows) + " rows"};
    ScoreRow row;
    row.line = i + 1;
    row.sample = (*fields)[columns->sample];
    if (row.sample.empty()) return at(i + 1, "the sample has no name");
    const auto [first, fresh] = seen.emplace(row.sample, i + 1);
    if (!fresh)
      return at(i + 1, "'" + sanitized(row.sample) + "' is in line " +
                           std::to_string(first->second) + " already");
    if (columns->label && !(*fields)[*columns->label].empty()) {
      row.label = number_in<int>((*fields)[*columns->label]);
      if (!row.label || *row.label < 0)
        return at(i + 1, "label '" + sanitized((*fields)[*columns->label], 40) +
                             "' is not a class index (0, 1, …)");
    }
    for (std::size_t c = 0; c < columns->scores.size(); ++c) {
      const std::string& cell = (*fields)[columns->scores[c]];
      const auto score = number_in<float>(cell);
      if (!score || !std::isfinite(*score))
        return at(i + 1, "column '" + sanitized(table.classes[c], 40) + "': '" +
                             sanitized(cell, 40) + "' is not a finite number");
      row.scores.push_back(*score);
    }
    table.rows.push_back(std::move(row));
  }
  if (!columns)
    return Error{ErrorKind::kCorrupt,
                 "contains no header; expected the columns sample, then one for each class"};
  if (table.rows.empty()) return Error{ErrorKind::kCorrupt, "contains no row below its header"};
  return table;
}

}  // namespace edgeprobe::compare
