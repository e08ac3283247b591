// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/result.h"

namespace edgeprobe {

/// A folder of its own under $TMPDIR, removed with this object.
class ScratchFolder {
 public:
  /// kUsage when $TMPDIR is no folder or cannot be written, kLimit when its disk is full.
  static Result<ScratchFolder> make();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace edgeprobe
