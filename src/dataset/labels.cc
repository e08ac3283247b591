// SPDX-License-Identifier: Apache-2.0
#include "dataset/labels.h"

#include <algorithm>
#include <filesystem>

#include "core/file.h"
#include "core/text.h"
#include "dataset/annotations/readers.h"
#include "names/class_names.h"

namespace edgeprobe::dataset {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;
// Limit for the annotations of one picture.
constexpr std::size_t kMostXmlBytes = std::size_t{4} << 20;

using ByName = std::map<std::string, task::Annotation>;

Result<ByName> read_file_of_labels(const std::filesystem::path& file,
                                   const std::vector<std::string>& classes) {
  EP_TRY(const auto bytes, read_file(file, kMostBytes));
  const std::string ending = file.extension().string();
  auto by_name = ending == ".json" ? parse_coco(bytes, classes)
                 : ending == ".npz"
                     ? parse_arrays(bytes)
                     : parse_table(ByteView(bytes).text(), file.parent_path(), classes);
  if (!by_name) {
    Error error = std::move(by_name.error());
    // "'labels.csv' line 3: …"; other positions have their own names.
    error.what = "'" + sanitized(file.string()) + "' " + error.what;
    return error;
  }
  return by_name;
}

// Reads one Pascal VOC file, or all in a folder, by name.
Result<ByName> read_voc(const std::filesystem::path& source,
                        const std::vector<std::string>& classes) {
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  if (std::filesystem::is_directory(source, failure)) {
    for (const auto& entry : std::filesystem::directory_iterator(source, failure))
      if (entry.path().extension() == ".xml") files.push_back(entry.path());
    if (failure)
      return Error{ErrorKind::kNotFound,
                   "'" + sanitized(source.string()) + "': cannot list: " + failure.message()};
    if (files.empty())
      return Error{ErrorKind::kUsage, "'" + sanitized(source.string()) +
                                          "' is a folder without an .xml file: one of Pascal "
                                          "VOC's for each picture is expected"};
    std::sort(files.begin(), files.end());
  } else {
    files.push_back(source);
  }
  ByName by_name;
  ClassNumbers numbers(classes);
  for (const std::filesystem::path& file : files) {
    EP_TRY(const auto bytes, read_file(file, kMostXmlBytes));
    auto picture = parse_voc(bytes, numbers);
    const std::string title = "'" + sanitized(file.string()) + "' ";
    if (!picture) {
      Error error = std::move(picture.error());
      error.what = title + error.what;
      return error;
    }
    if (!by_name.emplace(picture->first, std::move(picture->second)).second)
      return Error{ErrorKind::kCorrupt,
                   title + "is the second file of '" + sanitized(picture->first, 80) + "'"};
  }
  return by_name;
}

}  // namespace

Result<Labels> read_labels(std::string_view source, std::string_view class_file) {
  Labels labels;
  if (!class_file.empty()) {
    auto classes = names::read_class_names(std::string(class_file));
    if (!classes) return std::move(classes.error()).during("class names");
    labels.classes = *std::move(classes);
  }
  if (source.empty()) return labels;
  if (source == "folders") {
    labels.from_folders = true;
    return labels;
  }
  std::error_code absent;
  const std::filesystem::path path(source);
  auto by_name = path.extension() == ".xml" || std::filesystem::is_directory(path, absent)
                     ? read_voc(path, labels.classes)
                     : read_file_of_labels(path, labels.classes);
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
