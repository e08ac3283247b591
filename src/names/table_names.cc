// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/csv.h"
#include "core/text.h"
#include "names/kinds.h"

namespace edgeprobe::names {
namespace {

// Headers of columns with names, the most readable first; and of columns with numbers.
constexpr std::array<std::string_view, 10> kNameHeaders{
    "display_name", "displayname", "class_name", "label_name", "name",
    "names",        "label",       "labels",     "class",      "category"};
constexpr std::array<std::string_view, 10> kNumberHeaders{
    "index",    "id",          "class_id", "class_index", "classid",
    "label_id", "category_id", "idx",      "number",      ""};
constexpr char kSeparators[] = {',', '\t', ';'};

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

Result<std::vector<std::string>> fields_of(std::string_view line, char separator) {
  std::vector<std::string> fields;
  if (separator == ',') {
    EP_TRY(fields, csv_fields(line));
  } else {
    for (std::string_view rest = line;;) {
      const std::size_t end = rest.find(separator);
      std::string_view field = without_blanks(rest.substr(0, end));
      if (field.size() > 1 && field.front() == '"' && field.back() == '"')
        field = field.substr(1, field.size() - 2);
      fields.emplace_back(field);
      if (end == std::string_view::npos) break;
      rest = rest.substr(end + 1);
    }
  }
  for (std::string& field : fields) field = std::string(without_blanks(field));
  return fields;
}

char separator_of(std::string_view header) {
  char best = ',';
  for (const char separator : kSeparators)
    if (std::count(header.begin(), header.end(), separator) >
        std::count(header.begin(), header.end(), best))
      best = separator;
  return best;
}

bool is_name_header(const std::string& field) {
  return std::find(kNameHeaders.begin(), kNameHeaders.end(), lower_case(field)) !=
         kNameHeaders.end();
}

Result<Table> table_of(const Text& text) {
  Table table;
  const char separator = separator_of(text.lines[0]);
  for (std::size_t i = 0; i < text.lines.size(); ++i) {
    if (text.lines[i].empty()) continue;
    auto fields = fields_of(text.lines[i], separator);
    const std::string place = "line " + std::to_string(i + 1);
    if (!fields) return std::move(fields.error()).during(place);
    if (i == 0) {
      table.header = *std::move(fields);
    } else if (fields->size() != table.header.size()) {
      return Error{ErrorKind::kCorrupt, place + ": " + counted(fields->size(), "field") +
                                            ", the header has " +
                                            std::to_string(table.header.size())};
    } else {
      table.rows.push_back(*std::move(fields));
    }
  }
  if (table.rows.empty()) return Error{ErrorKind::kCorrupt, "holds a header and no row"};
  return table;
}

bool is_of_numbers(const Table& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return class_number(row[column]).has_value(); });
}

Result<std::size_t> name_column(const Table& table, std::string_view wanted) {
  std::vector<std::size_t> texts;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    if (!wanted.empty() && table.header[i] == wanted) return i;
    if (!is_of_numbers(table, i)) texts.push_back(i);
  }
  const auto header = [](const std::string& name) { return in_quotes(name, 40); };
  const std::string columns = "its columns are " + joined(table.header, ", ", header);
  if (!wanted.empty())
    return Error{ErrorKind::kUsage, "no column " + in_quotes(wanted, 40) + "; " + columns};
  for (const std::string_view known : kNameHeaders)
    for (const std::size_t i : texts)
      if (lower_case(table.header[i]) == known) return i;
  if (texts.size() == 1) return texts[0];
  return Error{ErrorKind::kUsage, "it is not clear which column holds the names; " + columns +
                                      ": name one (column=…)"};
}

std::optional<std::size_t> number_column(const Table& table, std::size_t names) {
  for (const std::string_view known : kNumberHeaders)
    for (std::size_t i = 0; i < table.header.size(); ++i)
      if (i != names && lower_case(table.header[i]) == known && is_of_numbers(table, i)) return i;
  return std::nullopt;
}

}  // namespace

bool is_table(const Text& text) {
  const auto fields = fields_of(text.lines[0], separator_of(text.lines[0]));
  if (!fields) return false;
  const bool is_header = std::any_of(fields->begin(), fields->end(), is_name_header);
  const bool is_named = text.ending == ".csv" || text.ending == ".tsv";
  // A file of plain names may begin with a word that is also a header, and names may contain
  // commas.
  if (fields->size() == 1) return is_header && is_named;
  return is_named ? !is_numbered(text) : is_header && table_of(text);
}

Result<Names> read_table(const Text& text, std::string_view column) {
  EP_TRY(const auto table, table_of(text));
  EP_TRY(const auto names, name_column(table, column));
  const auto numbers = number_column(table, names);
  Numbered numbered;
  for (const auto& row : table.rows)
    numbered.emplace_back(
        numbers ? *class_number(row[*numbers]) : static_cast<int>(numbered.size()), row[names]);
  return in_order(numbered);
}

}  // namespace edgeprobe::names
