// SPDX-License-Identifier: Apache-2.0
#include "source.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

Source::Source(const std::string& path) : path_(path) {
  namespace fs = std::filesystem;
  if (!fs::exists(path)) {
    error_ = path + " does not exist";
  } else if (fs::is_directory(path)) {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      const std::string extension = entry.path().extension();
      if (extension == ".png" || extension == ".jpg" || extension == ".jpeg") {
        files_.push_back(fs::relative(entry.path(), path).generic_string());
      }
    }
    std::sort(files_.begin(), files_.end());
  } else {
    video_.emplace(path);
  }
}

std::optional<Source::Item> Source::next() {
  if (video_) {
    auto picture = video_->next();
    if (!picture) return std::nullopt;
    return Item{std::filesystem::path(path_).filename().string() + "#" + std::to_string(number_++),
                std::move(*picture)};
  }
  while (number_ < files_.size()) {
    const std::string& name = files_[number_++];
    if (auto picture = load_picture(path_ + "/" + name)) return Item{name, std::move(*picture)};
    std::fprintf(stderr, "classifier: cannot read %s\n", name.c_str());
  }
  return std::nullopt;
}
