// SPDX-License-Identifier: Apache-2.0
#include "dataset/readings/recording.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include "core/csv.h"
#include "core/text.h"
#include "dataset/readings/fields.h"
#include "dataset/readings/time.h"

namespace edgeprobe::dataset {
namespace {

Error refused_table(const std::string& what) { return {ErrorKind::kUsage, what}; }
Error on_line(std::size_t line, const std::string& what) {
  return refused_table("line " + std::to_string(line) + ": " + what);
}

template <class T>
std::optional<T> parsed_number(std::string_view text) {
  T value{};
  if (text.size() > 1 && text.front() == '+') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return value;
}

/// "mV", "m/s2", "hh:mm:ss.mmm": letters that cannot be read as a number.
bool is_unit(std::string_view field) {
  return !field.empty() &&
         std::all_of(field.begin(), field.end(),
                     [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' ||
                              c == ':' || c == '.' || c == '^' || c == '%' || c == '2' ||
                              static_cast<unsigned char>(c) >= 0x80;
                     }) &&
         field != "nan" && field != "NaN" && field != "inf";
}

/// Meaning of each field.
struct TableColumns {
  std::vector<std::size_t> axes;
  std::optional<std::size_t> time, label;
  TimeColumn unit;
  std::vector<std::string> names;  ///< Names of all fields.
  char separator = ',';

  bool has_index() const { return names.front().empty(); }
};

/// "x", "acc_x", "accelerometer x": 0 to 2; empty for others.
std::optional<std::size_t> direction_of(const std::string& name) {
  if (name.empty()) return std::nullopt;
  const char last = static_cast<char>(name.back() | 0x20);
  const bool alone = name.size() == 1 || name[name.size() - 2] == '_' ||
                     name[name.size() - 2] == ' ' || name[name.size() - 2] == '.';
  if (!alone || last < 'x' || last > 'z') return std::nullopt;
  return static_cast<std::size_t>(last - 'x');
}

/// Sorts three axes named x, y and z: some apps write z, y, x.
void order_by_name(TableColumns& columns) {
  if (columns.axes.size() != 3) return;
  std::vector<std::size_t> by(3, columns.names.size());
  for (const std::size_t field : columns.axes) {
    const auto direction = direction_of(columns.names[field]);
    if (!direction || by[*direction] != columns.names.size()) return;
    by[*direction] = field;
  }
  columns.axes = by;
}

Result<TableColumns> table_columns(std::string_view header) {
  TableColumns columns;
  columns.separator = separator_of(header);
  auto fields = fields_of(header, columns.separator);
  if (!fields) return on_line(1, fields.error().what);
  columns.names = *std::move(fields);
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    const std::string& name = columns.names[i];
    // The index column of pandas' to_csv().
    if (name.empty() && i == 0 && columns.names.size() > 1) continue;
    if (name.empty())
      return on_line(1, "column " + std::to_string(i + 1) + " has no name: name every axis");
    if (std::find(columns.names.begin(), columns.names.begin() + static_cast<std::ptrdiff_t>(i),
                  name) != columns.names.begin() + static_cast<std::ptrdiff_t>(i))
      return on_line(1, "the column '" + sanitized(name, 60) + "' appears twice");
    if (parsed_number<double>(name))
      return on_line(1, "'" + sanitized(name, 60) +
                            "' is a number: the first line names the axes, e.g. time,x,y,z");
    if (name == "label") {
      columns.label = i;
    } else if (const auto time = time_column(name)) {
      // Of two time columns, prefer the one that states its unit.
      if (columns.time && columns.unit.unit) continue;
      columns.time = i;
      columns.unit = *time;
    } else {
      columns.axes.push_back(i);
    }
  }
  if (columns.axes.empty())
    return on_line(1, "no axis next to the time: a column for each axis is expected");
  if (columns.axes.size() > static_cast<std::size_t>(sensor::kMostAxes))
    return on_line(1, std::to_string(columns.axes.size()) + " axes, expected at most " +
                          std::to_string(sensor::kMostAxes));
  order_by_name(columns);
  return columns;
}

Result<int> label_class(std::string_view field, const std::vector<std::string>& classes) {
  if (field.empty()) return -1;
  if (const auto index = parsed_number<int>(field); index && *index >= 0) return *index;
  const auto at = std::find(classes.begin(), classes.end(), field);
  if (at != classes.end()) return static_cast<int>(at - classes.begin());
  return refused_table("label '" + sanitized(field, 60) + "', expected a class number from 0 on" +
                       (classes.empty() ? ", or a name with --classes FILE"
                                        : ", or a name of --classes, which has no such line"));
}

/// Time of each row relative to the first: nanoseconds since 1970 exceed the precision of a double.
class Times {
 public:
  bool add(std::string_view field) {
    const auto whole = parsed_number<std::int64_t>(field);
    const auto real = whole ? static_cast<double>(*whole) : parsed_number<double>(field);
    if (!real || !std::isfinite(*real)) return false;
    if (values_.empty()) first_whole_ = whole, first_ = *real;
    values_.push_back(whole && first_whole_ ? static_cast<double>(*whole - *first_whole_)
                                            : *real - first_);
    return true;
  }
  const std::vector<double>& values() const { return values_; }

 private:
  std::optional<std::int64_t> first_whole_;
  double first_ = 0;
  std::vector<double> values_;
};

Status add_row(const TableColumns& columns, std::string_view line,
               const std::vector<std::string>& classes, Recording& recording, Times& times,
               std::optional<std::int64_t>& index) {
  if (trimmed(line).empty())
    return refused_table(
        "it is blank: a table holds one recording, so cut it there into files, or "
        "take the line out");
  EP_TRY(const auto fields, fields_of(line, columns.separator));
  if (fields.size() != columns.names.size())
    return refused_table(std::to_string(fields.size()) + " fields, and the header has " +
                         std::to_string(columns.names.size()));
  if (columns.has_index()) {
    const auto next = parsed_number<std::int64_t>(fields.front());
    if (!next || (index && *next <= *index))
      return refused_table("column 1 has no name, and '" + sanitized(fields.front(), 40) +
                           "' goes on no index: name every axis");
    index = next;
  }
  for (const std::size_t at : columns.axes) {
    const std::string_view field = trimmed(fields[at]);
    const std::string place = "column '" + sanitized(columns.names[at], 60) + "'";
    if (field.empty()) return refused_table(place + " is empty: leave the row out, or fill it");
    const auto value = parsed_number<float>(field);
    if (!value && recording.series.values.empty() && is_unit(field))
      return refused_table(place + " is '" + sanitized(field, 40) +
                           "': a line of units; take it out");
    if (!value)
      return refused_table(place + " is '" + sanitized(field, 40) + "', expected a number");
    if (!std::isfinite(*value))
      return refused_table(place + " is '" + sanitized(field, 40) +
                           "', expected a finite number: leave the row out, or fill it");
    recording.series.values.push_back(*value);
  }
  if (columns.time) {
    const std::string_view field = trimmed(fields[*columns.time]);
    if (!times.add(field))
      return refused_table("the time '" + sanitized(columns.names[*columns.time], 60) + "' is '" +
                           sanitized(field, 40) + "', expected a number");
  }
  if (columns.label) {
    EP_TRY(const auto label, label_class(trimmed(fields[*columns.label]), classes));
    recording.classes.push_back(label);
  }
  return {};
}

Result<Recording> read_rows(std::string_view text, const std::vector<std::string>& classes) {
  const auto lines = lines_of(text);
  if (lines.empty())
    return refused_table("it is empty: a header line with the names of the axes is expected");
  EP_TRY(const auto columns, table_columns(lines.front()));
  Recording recording;
  recording.series.axes = static_cast<int>(columns.axes.size());
  for (const std::size_t at : columns.axes) recording.axes.push_back(columns.names[at]);
  std::size_t rows = lines.size();
  while (rows > 1 && trimmed(lines[rows - 1]).empty()) --rows;
  if (rows < 2) return refused_table("it contains a header but no row of readings");
  if ((rows - 1) > sensor::kMostValues / columns.axes.size())
    return Error{ErrorKind::kLimit, std::to_string(rows - 1) + " rows: cut them into files"};
  Times times;
  std::optional<std::int64_t> index;
  for (std::size_t i = 1; i < rows; ++i)
    if (auto good = add_row(columns, lines[i], classes, recording, times, index); !good)
      return on_line(i + 1, good.error().what);
  if (!columns.time) return recording;
  EP_TRY(auto timing,
         timing_of(times.values(), columns.unit, sanitized(columns.names[*columns.time], 60), 2));
  recording.series.rate = timing.rate;
  recording.note = std::move(timing.note);
  return recording;
}

}  // namespace

int majority(const Recording& recording, std::size_t begin, std::size_t steps) {
  std::map<int, std::size_t> count;
  for (std::size_t i = begin; i < std::min(begin + steps, recording.classes.size()); ++i)
    if (recording.classes[i] >= 0) ++count[recording.classes[i]];
  int most = -1;
  std::size_t best = 0;
  for (const auto& [index, times] : count) {
    if (times == best) most = -1;
    if (times > best) most = index, best = times;
  }
  return most;
}

bool is_recording(std::string_view text) {
  const auto lines = lines_of(text.substr(0, std::size_t{1} << 16));
  if (lines.empty()) return false;
  const char separator = separator_of(lines.front());
  const auto names = fields_of(lines.front(), separator);
  if (!names) return false;
  for (const std::string& name : *names)
    for (const char* other : {"text", "text_a", "text_b", "file"})
      if (trimmed(name) == other) return false;
  if (lines.size() < 2) return true;
  // A line of units may follow the header.
  for (std::size_t row = 1; row < std::min<std::size_t>(lines.size(), 3); ++row) {
    const auto fields = fields_of(lines[row], separator);
    if (!fields) return false;
    for (std::size_t i = 0; i < std::min(fields->size(), names->size()); ++i)
      if ((*names)[i] != "label" && parsed_number<double>((*fields)[i])) return true;
  }
  return false;
}

Result<Recording> read_recording(std::string_view text, const std::string& title,
                                 const std::vector<std::string>& classes) {
  auto recording = read_rows(text, classes);
  if (recording) return recording;
  Error error = std::move(recording.error());
  error.what = title + " " + error.what;
  return error;
}

}  // namespace edgeprobe::dataset
