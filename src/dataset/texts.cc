// SPDX-License-Identifier: Apache-2.0
#include "dataset/sources.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "core/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "text/utf8.h"

namespace edgeprobe::dataset {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

Error at_line(const std::string& title, std::size_t line, const std::string& what) {
  return {ErrorKind::kCorrupt, title + " line " + std::to_string(line) + ": " + what};
}

Status check_utf8(std::string_view line, const std::string& title, std::size_t number) {
  const auto bad = text::first_bad_byte(line);
  if (!bad) return {};
  return at_line(title, number,
                 "not UTF-8 from byte " + std::to_string(*bad + 1) +
                     " on; convert the file, e.g. iconv -f latin1 -t utf-8 FILE > FILE.utf8");
}

/// Meaning of each field.
struct Columns {
  std::vector<std::pair<std::string, std::size_t>> parts;
  std::optional<std::size_t> label;
  std::size_t count = 0;
};

Result<Columns> columns_of(const std::vector<std::string>& header, const std::string& title) {
  const auto column = [&](std::string_view name) -> std::optional<std::size_t> {
    const auto at = std::find(header.begin(), header.end(), name);
    if (at == header.end()) return std::nullopt;
    return static_cast<std::size_t>(at - header.begin());
  };
  Columns columns;
  columns.count = header.size();
  columns.label = column("label");
  if (const auto one = column("text")) {
    columns.parts = {{"text", *one}};
  } else if (const auto a = column("text_a"), b = column("text_b"); a && b) {
    columns.parts = {{"text_a", *a}, {"text_b", *b}};
  } else {
    return at_line(title, 1,
                   "expected a column 'text', or 'text_a' and 'text_b', in the header '" +
                       sanitized(header.empty() ? "" : header.front(), 60) + ", …'");
  }
  return columns;
}

Sample sample_of(Text content, std::string name, std::optional<task::Annotation> annotation) {
  Sample sample{std::move(name), std::move(annotation), nullptr};
  sample.load = [content = std::move(content)]() -> Result<Loaded> {
    std::string all;
    for (const TextPart& part : content.parts) all += part.text + '\0';
    return Loaded{content, sha256(view_of(all))};
  };
  return sample;
}

Result<std::optional<task::Annotation>> class_of(const std::string& field) {
  std::optional<task::Annotation> annotation;
  if (field.empty()) return annotation;
  int index = -1;
  const char* const end = field.data() + field.size();
  const auto read = std::from_chars(field.data(), end, index);
  if (read.ec != std::errc{} || read.ptr != end || index < 0)
    return Error{ErrorKind::kCorrupt,
                 "label '" + sanitized(field, 40) + "', expected a class number from 0 on"};
  annotation = task::ClassLabel{index};
  return annotation;
}

Result<Sample> row(const Columns& columns, std::string_view line, std::string name,
                   const Labels& labels) {
  EP_TRY(const auto fields, csv_fields(line));
  if (fields.size() != columns.count)
    return Error{ErrorKind::kCorrupt, std::to_string(fields.size()) +
                                          " fields, and the header has " +
                                          std::to_string(columns.count) +
                                          "; put texts with commas between double quotes"};
  Text content;
  for (const auto& [part, at] : columns.parts) content.parts.push_back({part, fields[at]});
  auto annotation = annotation_of(labels, name);
  if (!annotation && columns.label) {
    EP_TRY(annotation, class_of(fields[*columns.label]));
  }
  return sample_of(std::move(content), std::move(name), std::move(annotation));
}

}  // namespace

bool is_texts_name(std::string_view file_name) {
  return file_name.ends_with(".txt") || file_name.ends_with(".csv");
}

Result<std::vector<Sample>> open_texts(const std::filesystem::path& file, const Labels& labels) {
  const std::string title = "'" + sanitized(file.string()) + "'",
                    short_name = file.filename().string();
  EP_TRY(const auto bytes, read_file(file, kMostBytes));
  const auto lines = lines_of(ByteView(bytes).text());
  const bool table = file.extension() == ".csv";
  if (lines.empty() || (table && lines.size() < 2))
    return Error{ErrorKind::kUsage, title + " holds no text"};
  Columns columns;
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EP_CHECK(check_utf8(lines[i], title, i + 1));
    std::string name = short_name + ":" + std::to_string(i + 1);
    if (!table) {
      auto annotation = annotation_of(labels, name);
      samples.push_back(
          sample_of({{{"text", std::string(lines[i])}}}, std::move(name), std::move(annotation)));
      continue;
    }
    if (i == 0) {
      const auto header = csv_fields(lines[i]);
      if (!header) return at_line(title, 1, header.error().what);
      EP_TRY(columns, columns_of(*header, title));
      continue;
    }
    auto sample = row(columns, lines[i], std::move(name), labels);
    if (!sample) return at_line(title, i + 1, sample.error().what);
    samples.push_back(*std::move(sample));
  }
  return samples;
}

}  // namespace edgeprobe::dataset
