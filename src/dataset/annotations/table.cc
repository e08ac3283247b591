// SPDX-License-Identifier: Apache-2.0
#include "dataset/annotations/readers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/csv.h"
#include "core/text.h"

namespace edgeprobe::dataset {
namespace {

using ByName = std::map<std::string, task::Annotation>;

// Splits one line as written by any spreadsheet: unlike csv_fields(), quotes may be anywhere.
// Quoted fields may contain commas and doubled quotes, but no line breaks.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::optional<int> class_number(std::string_view text) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<double> real(const std::string& text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

class Table {
 public:
  Table(const std::filesystem::path& folder, const std::vector<std::string>& classes)
      : folder_(folder), numbers_(classes), given_(classes) {}

  Result<ByName> read(std::string_view text) {
    const auto lines = lines_of(text);
    if (lines.empty()) return problem(0, "expected a header with the columns file,label");
    header_ = fields_of(lines[0]);
    const auto file = column("file");
    const Kind* const kind = kind_of();
    if (!file || !kind)
      return problem(0, "expected the columns 'file' and 'label', found '" + sanitized(lines[0]) +
                            "'; for other tasks 'file' and x0,y0,x1,y1 or one of anomaly, text, "
                            "identity, mask");
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (lines[i].empty()) continue;
      fields_ = fields_of(lines[i]);
      std::size_t needed = *file;
      for (const char* const name : kind->columns) needed = std::max(needed, *column(name));
      if (fields_.size() <= needed)
        return problem(i, "expected " + std::to_string(header_.size()) + " columns, found " +
                              std::to_string(fields_.size()));
      file_ = fields_[*file];
      EP_CHECK((this->*kind->add)(i));
    }
    if (by_name_.empty()) return problem(0, "contains no labelled file");
    return std::move(by_name_);
  }

 private:
  struct Kind {
    std::vector<const char*> columns;
    Status (Table::*add)(std::size_t line);
  };

  const Kind* kind_of() const {
    static const std::vector<Kind> kinds{{{"x0", "y0", "x1", "y1"}, &Table::add_box},
                                         {{"anomaly"}, &Table::add_anomaly},
                                         {{"text"}, &Table::add_text},
                                         {{"identity"}, &Table::add_identity},
                                         {{"mask"}, &Table::add_mask},
                                         {{"label"}, &Table::add_label}};
    for (const Kind& kind : kinds)
      if (std::all_of(kind.columns.begin(), kind.columns.end(),
                      [&](const char* name) { return column(name).has_value(); }))
        return &kind;
    return nullptr;
  }

  std::optional<std::size_t> column(std::string_view name) const {
    const auto at = std::find(header_.begin(), header_.end(), name);
    return at == header_.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(at - header_.begin()));
  }
  /// Empty if the table has no such column, or the line is too short.
  std::string field(std::string_view name) const {
    const auto at = column(name);
    return at && *at < fields_.size() ? fields_[*at] : std::string();
  }
  static Error problem(std::size_t line, const std::string& what) {
    return {ErrorKind::kCorrupt, "line " + std::to_string(line + 1) + ": " + what};
  }

  Status once(std::size_t line, task::Annotation truth) {
    const auto [at, fresh] = by_name_.emplace(file_, truth);
    if (!fresh && at->second != truth)
      return problem(line, "'" + sanitized(file_) + "' has two different labels");
    return {};
  }

  Status add_label(std::size_t line) {
    const std::string label = field("label");
    // A name may contain a ';'.
    if (std::find(given_.begin(), given_.end(), label) != given_.end()) {
      EP_TRY(const int number, number_of(line, label));
      return once(line, task::annotation_of({number}));
    }
    std::vector<int> classes;
    for (std::string_view rest = label;;) {
      const std::size_t length = std::min(rest.find(';'), rest.size());
      EP_TRY(const int number, number_of(line, rest.substr(0, length)));
      classes.push_back(number);
      if (length == rest.size()) return once(line, task::annotation_of(std::move(classes)));
      rest.remove_prefix(length + 1);
    }
  }

  /// Reads a class by number, or by its name in --classes.
  Result<int> number_of(std::size_t line, std::string_view text) const {
    if (const auto number = class_number(text)) return *number;
    const std::string said = "label '" + sanitized(text, 80) + "' is ";
    if (given_.empty())
      return problem(line, said +
                               "not a class index (0, 1, …), nor several of them (3;17); names are "
                               "understood with --classes FILE");
    const auto at = std::find(given_.begin(), given_.end(), text);
    if (at == given_.end()) {
      const std::string near = closest_match(text, given_);
      return problem(line,
                     said + "neither a class index (0, 1, …) nor a name in --classes" +
                         (near.empty() ? "" : "; did you mean '" + sanitized(near, 80) + "'?"));
    }
    if (std::find(at + 1, given_.end(), text) != given_.end())
      return problem(line, said + "the name of two classes in --classes; give its index");
    return static_cast<int>(at - given_.begin());
  }

  Status add_anomaly(std::size_t line) {
    const std::string value = field("anomaly");
    if (value != "0" && value != "1")
      return problem(line, "anomaly '" + sanitized(value, 80) + "' is neither 0 (sound) nor 1");
    return once(line, task::TrueAnomaly{value == "1"});
  }

  Status add_text(std::size_t line) {
    const std::string value = field("text");
    if (!is_utf8(value)) return problem(line, "its text is not UTF-8");
    return once(line, task::Transcript{value});
  }

  Status add_identity(std::size_t line) {
    const std::string value = field("identity");
    if (value.empty()) return problem(line, "its identity is empty");
    return once(line, task::Identity{value});
  }

  Status add_mask(std::size_t line) {
    auto mask = read_mask(folder_ / field("mask"));
    if (!mask) return problem(line, mask.error().what);
    return once(line, *std::move(mask));
  }

  Status add_box(std::size_t line) {
    const auto [at, fresh] = by_name_.emplace(file_, task::TrueBoxes{});
    auto& there = std::get<task::TrueBoxes>(at->second);
    for (const auto& [name, to] : {std::pair{"width", &there.width}, {"height", &there.height}}) {
      if (field(name).empty()) continue;
      const auto size = real(field(name));
      if (!size || *size <= 0 || !task::is_coordinate(*size))
        return problem(line, std::string(name) + " '" + sanitized(field(name), 80) +
                                 "' is not a valid number of pixels");
      if (!fresh && *to > 0 && *to != *size)
        return problem(line, "'" + sanitized(file_) + "' has two sizes");
      *to = *size;
    }
    // A picture without objects.
    if (field("x0").empty() && field("y0").empty() && field("x1").empty() && field("y1").empty())
      return {};
    double corners[4];
    std::size_t i = 0;
    for (const char* const name : {"x0", "y0", "x1", "y1"}) {
      const auto value = real(field(name));
      if (!value || !task::is_coordinate(*value))
        return problem(line, std::string(name) + " '" + sanitized(field(name), 80) +
                                 "' is not a coordinate in pixels");
      corners[i++] = *value;
    }
    if (corners[2] < corners[0] || corners[3] < corners[1])
      return problem(line,
                     "the box ends before it begins; x0,y0 is its upper left corner, x1,y1 its "
                     "lower right one, in pixels");
    task::TrueBox box;
    box.box = {corners[0], corners[1], corners[2] - corners[0], corners[3] - corners[1]};
    if (there.width > 0 && there.height > 0 &&
        (corners[0] >= there.width || corners[1] >= there.height || corners[2] <= 0 ||
         corners[3] <= 0))
      return problem(line, "the box is outside its picture of " + number(there.width) + " x " +
                               number(there.height) + " pixels");
    box.area = box.box.area();
    box.crowd = field("crowd") == "1";
    EP_TRY(box.label, class_of(line, box.name));
    there.boxes.push_back(std::move(box));
    return {};
  }

  // Reads a number or a name.
  Result<int> class_of(std::size_t line, std::string& name) {
    const std::string text = field("label");
    if (text.empty()) return 0;
    int value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure == std::errc{} && end == text.data() + text.size()) {
      if (value < 0) return problem(line, "label " + text + " is below 0");
      if (!given_.empty() && static_cast<std::size_t>(value) >= given_.size())
        return problem(line, "label " + text + " is beyond the " + std::to_string(given_.size()) +
                                 " names of --classes");
      if (!given_.empty()) name = given_[static_cast<std::size_t>(value)];
      return value;
    }
    name = text;
    if (const auto known = numbers_.of(text)) return *known;
    return problem(line, "label '" + sanitized(text, 80) + "' is not a line of --classes");
  }

  const std::filesystem::path& folder_;
  ClassNumbers numbers_;
  const std::vector<std::string>& given_;
  std::vector<std::string> header_, fields_;
  std::string file_;
  ByName by_name_;
};

}  // namespace

Result<ByName> parse_table(std::string_view text, const std::filesystem::path& folder,
                           const std::vector<std::string>& classes) {
  return Table(folder, classes).read(text);
}

}  // namespace edgeprobe::dataset
