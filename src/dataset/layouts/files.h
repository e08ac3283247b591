// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "dataset/layouts/layouts.h"

/// Parts that layouts share.
namespace edgeprobe::dataset {

/// Files below `folder` with one of these extensions (lower case, with the dot), by their names
/// relative to it, in byte order. Hidden files, such as macOS's "._a.jpg", are left out. kUsage
/// if the folder does not exist or cannot be listed.
Result<std::vector<std::string>> files_below(const std::filesystem::path& folder,
                                             const std::vector<std::string_view>& extensions);
/// Folders in `folder`, by name, in byte order; without hidden ones.
Result<std::vector<std::string>> folders_in(const std::filesystem::path& folder);

/// The extensions of pictures.
inline std::vector<std::string_view> picture_extensions() {
  return {".jpg", ".jpeg", ".png", ".bmp"};
}

/// The text of a list that a data set contains. kUsage, with `layout`, if it does not exist.
Result<std::string> list_file(const std::filesystem::path& file, std::string_view layout);

/// Words of a line, separated by blanks and tabs.
std::vector<std::string> words_of(std::string_view line);

/// "'folder/list.txt' line 3: what".
Error at_line(const std::filesystem::path& file, std::size_t line, const std::string& what);

/// Names that have no partner: counted, the first one named.
class Lone {
 public:
  /// `what`: "pictures without an annotation are left out", after the number.
  explicit Lone(std::string what) : what_(std::move(what)) {}
  void add(const std::string& name);
  void note(std::vector<std::string>& notes) const;

 private:
  std::string what_, first_;
  std::size_t count_ = 0;
};

/// Gives class labels the numbers of their names in `names`. A class that is missing there gets the
/// number of `unknown` if that is one of the names, and a note; else kUsage.
Status renumber(DataSet& data, const std::vector<std::string>& names, std::string_view unknown);

/// kUsage for a class of data.classes without a sample, named with `layout`.
Status check_no_class_is_empty(const DataSet& data, std::string_view layout);

}  // namespace edgeprobe::dataset
