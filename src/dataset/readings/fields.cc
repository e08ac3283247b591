// SPDX-License-Identifier: Apache-2.0
#include "dataset/readings/fields.h"

#include <algorithm>

#include "core/csv.h"

namespace edgeprobe::dataset {
namespace {

std::string plain(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text.front() == '\'' && text.back() == '\'')
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

// With separator and comma swapped, the line is ordinary CSV.
char exchanged(char c, char separator) { return c == separator ? ',' : c == ',' ? separator : c; }

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

char separator_of(std::string_view header) {
  if (header.find(',') != std::string_view::npos) return ',';
  for (const char separator : {';', '\t'})
    if (header.find(separator) != std::string_view::npos) return separator;
  return ',';
}

Result<std::vector<std::string>> fields_of(std::string_view line, char separator) {
  std::string as_csv(line);
  if (separator != ',')
    for (char& c : as_csv) c = exchanged(c, separator);
  EP_TRY(auto fields, csv_fields(as_csv));
  for (std::string& field : fields) {
    if (separator != ',')
      for (char& c : field) c = exchanged(c, separator);
    field = plain(field);
    const bool decimal = separator == ';' && std::count(field.begin(), field.end(), ',') == 1 &&
                         field.find('.') == std::string::npos &&
                         field.find_first_not_of("+-0123456789,eE") == std::string::npos;
    if (decimal) field[field.find(',')] = '.';
  }
  return fields;
}

}  // namespace edgeprobe::dataset
