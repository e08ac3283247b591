// SPDX-License-Identifier: Apache-2.0
#include "dataset/labels.h"

#include <algorithm>
#include <charconv>

#include "core/csv.h"
#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::dataset {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

// Fields of one line, as spreadsheets of all kinds write them: unlike csv_fields(), quotes may
// stand anywhere. Quoted ones may hold commas and doubled quotes, but no line breaks.
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

/// "3", or "3;17" where any of several classes is right.
std::optional<task::Annotation> annotation_from(std::string_view text) {
  std::vector<int> classes;
  while (true) {
    const std::size_t length = std::min(text.find(';'), text.size());
    int value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + length, value);
    if (failure != std::errc{} || end != text.data() + length || value < 0) return std::nullopt;
    classes.push_back(value);
    if (length == text.size()) return task::annotation_of(std::move(classes));
    text.remove_prefix(length + 1);
  }
}

Result<std::map<std::string, task::Annotation>> read_csv(std::string_view path) {
  const auto bytes = read_file(path, kMostBytes);
  if (!bytes) return bytes.error();
  const auto lines = lines_of(ByteView(*bytes).text());
  const auto problem = [&](std::size_t line, const std::string& what) {
    return Error{ErrorKind::kCorrupt,
                 "'" + sanitized(path) + "' line " + std::to_string(line + 1) + ": " + what};
  };
  if (lines.empty()) return problem(0, "expected a header with the columns file,label");
  const auto header = fields_of(lines[0]);
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  const std::size_t file = column("file"), label = column("label");
  if (file == header.size() || label == header.size())
    return problem(0,
                   "expected the columns 'file' and 'label', found '" + sanitized(lines[0]) + "'");
  std::map<std::string, task::Annotation> by_name;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto fields = fields_of(lines[i]);
    if (fields.size() <= std::max(file, label))
      return problem(i, "expected " + std::to_string(header.size()) + " columns, found " +
                            std::to_string(fields.size()));
    const auto truth = annotation_from(fields[label]);
    if (!truth)
      return problem(i, "label '" + sanitized(fields[label], 80) +
                            "' is not a class index (0, 1, …), nor several of them (3;17)");
    const auto [at, fresh] = by_name.emplace(fields[file], *truth);
    if (!fresh && at->second != *truth)
      return problem(i, "'" + sanitized(fields[file]) + "' has two different labels");
  }
  if (by_name.empty()) return problem(0, "holds no labelled file");
  return by_name;
}

}  // namespace

Result<Labels> read_labels(std::string_view source, std::string_view class_file) {
  Labels labels;
  if (!class_file.empty()) {
    const auto bytes = read_file(class_file, kMostBytes);
    if (!bytes) return Error(bytes.error()).during("class names");
    for (const std::string_view line : lines_of(ByteView(*bytes).text()))
      labels.classes.emplace_back(line);
    while (!labels.classes.empty() && labels.classes.back().empty()) labels.classes.pop_back();
  }
  if (source.empty()) return labels;
  if (source == "folders") {
    labels.from_folders = true;
    return labels;
  }
  auto by_name = read_csv(source);
  if (!by_name) return std::move(by_name.error()).during("labels");
  labels.by_name = *std::move(by_name);
  return labels;
}

std::optional<task::Annotation> annotation_of(const Labels& labels, std::string_view sample_name) {
  if (labels.from_folders) {
    const std::size_t slash = sample_name.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto at =
        std::find(labels.classes.begin(), labels.classes.end(), sample_name.substr(0, slash));
    if (at == labels.classes.end()) return std::nullopt;
    return task::ClassLabel{static_cast<int>(at - labels.classes.begin())};
  }
  if (const auto at = labels.by_name.find(std::string(sample_name)); at != labels.by_name.end())
    return at->second;
  return std::nullopt;
}

}  // namespace edgeprobe::dataset
