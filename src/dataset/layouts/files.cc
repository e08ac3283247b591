// SPDX-License-Identifier: Apache-2.0
#include "dataset/layouts/files.h"

#include <algorithm>

#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::dataset {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostList = std::size_t{256} << 20;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

Status check_folder(const fs::path& folder) {
  std::error_code failure;
  if (fs::is_directory(folder, failure)) return {};
  return Error{ErrorKind::kUsage, "'" + sanitized(folder.string(), 300) + "' is not a folder"};
}

Error not_listed(const fs::path& folder, const std::error_code& failure) {
  return {ErrorKind::kUsage,
          "'" + sanitized(folder.string(), 300) + "': cannot list: " + failure.message()};
}

}  // namespace

Result<std::vector<std::string>> files_below(const fs::path& folder,
                                             const std::vector<std::string_view>& extensions) {
  EP_CHECK(check_folder(folder));
  std::vector<std::string> names;
  std::error_code failure;
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied,
                                             failure);
  for (; !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    std::error_code ignored;
    if (is_hidden(at->path())) {
      at.disable_recursion_pending();
      continue;
    }
    if (!at->is_regular_file(ignored)) continue;
    const std::string extension = lower_case(at->path().extension().string());
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end())
      names.push_back(at->path().lexically_relative(folder).generic_string());
  }
  if (failure) return not_listed(folder, failure);
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<std::string>> folders_in(const fs::path& folder) {
  EP_CHECK(check_folder(folder));
  std::vector<std::string> names;
  std::error_code failure;
  auto at = fs::directory_iterator(folder, failure);
  for (; !failure && at != fs::directory_iterator(); at.increment(failure)) {
    std::error_code ignored;
    if (at->is_directory(ignored) && !is_hidden(at->path()))
      names.push_back(at->path().filename().string());
  }
  if (failure) return not_listed(folder, failure);
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> list_file(const fs::path& file, std::string_view layout) {
  auto bytes = read_file(file, kMostList);
  if (bytes) return std::string(ByteView(*bytes).text());
  if (bytes.error().kind != ErrorKind::kNotFound) return std::move(bytes.error());
  return Error{ErrorKind::kUsage, "'" + sanitized(file.string(), 300) +
                                      "' does not exist, which the layout '" + std::string(layout) +
                                      "' has (docs/guides/datasets.md)"};
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.emplace_back(line.substr(begin, at - begin));
  }
  return words;
}

Error at_line(const fs::path& file, std::size_t line, const std::string& what) {
  return {ErrorKind::kCorrupt,
          "'" + sanitized(file.string(), 300) + "' line " + std::to_string(line) + ": " + what};
}

void Lone::add(const std::string& name) {
  if (count_++ == 0) first_ = name;
}

void Lone::note(std::vector<std::string>& notes) const {
  if (count_ > 0)
    notes.push_back(std::to_string(count_) + " " + what_ + ", such as '" + sanitized(first_, 120) +
                    "'");
}

Status renumber(DataSet& data, const std::vector<std::string>& names, std::string_view unknown) {
  if (names.empty() || data.classes.empty()) return {};
  std::vector<int> numbers;
  std::vector<std::string> missing;
  const auto other = std::find(names.begin(), names.end(), unknown);
  for (const std::string& name : data.classes) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) missing.push_back(name);
    numbers.push_back(static_cast<int>((at == names.end() ? other : at) - names.begin()));
  }
  if (!missing.empty() && (unknown.empty() || other == names.end()))
    return Error{ErrorKind::kUsage, "--classes lacks " + std::to_string(missing.size()) +
                                        " of the " + std::to_string(data.classes.size()) +
                                        " classes"
                                        " of the data set, such as '" +
                                        sanitized(missing.front(), 60) + "', whose names begin '" +
                                        sanitized(data.classes.front(), 60) + "'"};
  if (!missing.empty())
    data.notes.push_back(std::to_string(missing.size()) + " classes, such as '" +
                         sanitized(missing.front(), 60) + "', are not in --classes and count as '" +
                         std::string(unknown) + "'");
  for (Sample& sample : data.samples)
    if (auto* const label =
            sample.annotation ? std::get_if<task::ClassLabel>(&*sample.annotation) : nullptr)
      label->index = numbers[static_cast<std::size_t>(label->index)];
  data.classes = names;
  return {};
}

Status check_no_class_is_empty(const DataSet& data, std::string_view layout) {
  std::set<int> used;
  for (const Sample& sample : data.samples)
    if (const auto* const label =
            sample.annotation ? std::get_if<task::ClassLabel>(&*sample.annotation) : nullptr)
      used.insert(label->index);
  for (std::size_t i = 0; i < data.classes.size(); ++i)
    if (used.count(static_cast<int>(i)) == 0)
      return Error{ErrorKind::kUsage, std::string(layout) + ": class '" +
                                          sanitized(data.classes[i], 80) +
                                          "' has no sample; add some, or remove the class"};
  return {};
}

}  // namespace edgeprobe::dataset
