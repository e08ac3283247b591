// SPDX-License-Identifier: Apache-2.0
#include "dataset/sources.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "archive/npz.h"
#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::dataset {
namespace {

using archive::Npz;

constexpr std::string_view kInputs = "model_input/";
/// Arrays that `trace export --npz` writes in addition to the model's inputs, and arrays about
/// samples.
constexpr const char* kBeside[] = {"frames", "labels", archive::kSamples, archive::kSequences};
constexpr const char* kStages[] = {"raw_input/", "intermediate/", "layer/", "model_output/",
                                   "variable/"};

bool is_beside(const std::string& name) {
  return std::find(std::begin(kBeside), std::end(kBeside), name) != std::end(kBeside) ||
         name.ends_with(".frames") ||
         std::any_of(std::begin(kStages), std::end(kStages),
                     [&](const char* stage) { return name.starts_with(stage); });
}

const Tensor* array_named(const Npz& npz, const std::string& name) {
  const auto at = std::find_if(npz.arrays.begin(), npz.arrays.end(),
                               [&](const Tensor& array) { return array.spec.name == name; });
  return at == npz.arrays.end() ? nullptr : &*at;
}

/// Arrays with one entry for each sample, by input name.
struct Table {
  std::vector<Tensor> columns;
  std::size_t rows = 0;
};

Result<Table> table_of(Npz& npz) {
  Table table;
  std::set<std::string> names;
  for (Tensor& array : npz.arrays) {
    if (is_beside(array.spec.name)) continue;
    std::string& name = array.spec.name;
    if (name.starts_with(kInputs)) name.erase(0, kInputs.size());
    const std::string who = "array '" + sanitized(name, 100) + "'";
    if (!names.insert(name).second) return Error{ErrorKind::kUsage, who + " appears twice"};
    if (array.spec.shape.empty())
      return Error{ErrorKind::kUsage,
                   who +
                       " is a single number; expected an array whose first axis counts the "
                       "samples (numpy.array(x)[None] for one)"};
    const auto rows = static_cast<std::size_t>(array.spec.shape.front());
    if (rows == 0) return Error{ErrorKind::kUsage, who + " is empty: it contains no sample"};
    if (!table.columns.empty() && rows != table.rows)
      return Error{ErrorKind::kUsage, who + " holds " + std::to_string(rows) + " samples, '" +
                                          sanitized(table.columns.front().spec.name, 100) + "' " +
                                          std::to_string(table.rows) +
                                          ": the first axis of every array counts the samples"};
    table.rows = rows;
    table.columns.push_back(std::move(array));
  }
  if (!table.columns.empty()) return table;
  if (!npz.unread.empty())
    return Error{ErrorKind::kUnsupported, "'" + sanitized(npz.unread.front(), 100) +
                                              "' holds texts, and there is no array of numbers: "
                                              "inputs of texts cannot be given"};
  return Error{ErrorKind::kUsage,
               "it contains no array; expected one for each input of the model, by its name"};
}

/// Integers of an additional list. kUsage for another form or length.
Result<std::vector<std::int64_t>> numbers(const Tensor& list, std::size_t rows) {
  const std::string who = "'" + sanitized(list.spec.name, 100) + "'";
  const auto values = stored_as_float(list);
  if (!values || list.spec.shape.size() != 1 || values->size() != rows)
    return Error{ErrorKind::kUsage, who + " has the shape " + to_text(list.spec.shape) +
                                        ", expected one number for each of the " +
                                        std::to_string(rows) + " samples"};
  std::vector<std::int64_t> whole;
  for (const float value : *values) {
    if (!(std::abs(value) < 16'777'216.f) || std::floor(value) != value)
      return Error{ErrorKind::kUsage,
                   who + " holds " + number(value) + "; expected whole numbers below 2^24"};
    whole.push_back(static_cast<std::int64_t>(value));
  }
  return whole;
}

std::string name_of(std::size_t row, std::size_t rows) {
  std::string text = std::to_string(row);
  const std::size_t width = std::max<std::size_t>(4, std::to_string(rows - 1).size());
  return std::string(width - std::min(width, text.size()), '0') + text;
}

/// Names of the samples: from the file, or their numbers.
Result<std::vector<std::string>> names_of(const Npz& npz, std::size_t rows) {
  std::vector<std::string> names;
  if (const auto given = npz.texts.find(archive::kSamples); given != npz.texts.end()) {
    names = given->second;
    if (names.size() != rows)
      return Error{ErrorKind::kUsage, "'samples' names " + std::to_string(names.size()) +
                                          " samples, the arrays hold " + std::to_string(rows)};
    const std::set<std::string> different(names.begin(), names.end());
    if (different.size() != rows || different.count(""))
      return Error{ErrorKind::kUsage, "'samples' holds an empty name, or one twice"};
    return names;
  }
  for (std::size_t row = 0; row < rows; ++row) names.push_back(name_of(row, rows));
  return names;
}

/// For each sample, whether it begins a sequence.
Result<std::vector<bool>> beginnings(const Npz& npz, std::size_t rows) {
  std::vector<bool> begins(rows, false);
  const auto texts = npz.texts.find(archive::kSequences);
  const Tensor* const list = array_named(npz, archive::kSequences);
  if (texts != npz.texts.end()) {
    if (texts->second.size() != rows)
      return Error{ErrorKind::kUsage, "'sequences' has " + std::to_string(texts->second.size()) +
                                          " entries, the arrays hold " + std::to_string(rows) +
                                          " samples"};
    for (std::size_t row = 1; row < rows; ++row)
      begins[row] = texts->second[row] != texts->second[row - 1];
  } else if (list) {
    EP_TRY(const auto ids, numbers(*list, rows));
    for (std::size_t row = 1; row < rows; ++row) begins[row] = ids[row] != ids[row - 1];
  }
  begins.front() = true;
  return begins;
}

Loaded row_of(const Table& table, std::size_t row) {
  Arrays arrays;
  for (const Tensor& column : table.columns) {
    Tensor one{column.spec, {}};
    one.spec.shape.erase(one.spec.shape.begin());
    const std::size_t size = column.bytes.size() / table.rows;
    one.bytes = ByteView(column.bytes).sub(row * size, size).copy();
    arrays.arrays.push_back(std::move(one));
  }
  // No hash: it would cover the very values under test, so frames with other values would have no
  // partner.
  return {std::move(arrays), ""};
}

}  // namespace

bool is_npz_name(std::string_view file_name) {
  return file_name.size() > 4 && file_name.ends_with(".npz");
}

Result<std::vector<Sample>> open_npz(const std::filesystem::path& file, const Labels& labels) {
  const std::string title = "'" + sanitized(file.string()) + "'";
  EP_TRY(auto bytes, read_file(file, archive::kMostNpzBytes));
  if (bytes.empty()) return Error{ErrorKind::kCorrupt, title + " is empty"};
  auto npz = archive::parse_npz(bytes);
  if (!npz) return std::move(npz.error()).during(title);
  bytes.clear();
  auto made = table_of(*npz);
  if (!made) return std::move(made.error()).during(title);
  const auto table = std::make_shared<const Table>(*std::move(made));
  const auto names = names_of(*npz, table->rows);
  if (!names) return Error(names.error()).during(title);
  const auto begins = beginnings(*npz, table->rows);
  if (!begins) return Error(begins.error()).during(title);
  std::vector<std::int64_t> classes;
  if (const Tensor* list = array_named(*npz, "labels")) {
    auto read = numbers(*list, table->rows);
    if (!read) return std::move(read.error()).during(title);
    classes = *std::move(read);
  }
  std::vector<TensorSpec> specs;
  for (const Tensor& column : table->columns) {
    specs.push_back(column.spec);
    specs.back().shape.erase(specs.back().shape.begin());
  }
  std::vector<Sample> samples;
  for (std::size_t row = 0; row < table->rows; ++row) {
    auto annotation = annotation_of(labels, (*names)[row]);
    // Below 0: unknown.
    if (!annotation && !classes.empty() && classes[row] >= 0)
      annotation = task::ClassLabel{static_cast<int>(classes[row])};
    samples.push_back({(*names)[row], std::move(annotation),
                       [table, row]() -> Result<Loaded> { return row_of(*table, row); }, specs,
                       (*begins)[row]});
  }
  return samples;
}

}  // namespace edgeprobe::dataset
