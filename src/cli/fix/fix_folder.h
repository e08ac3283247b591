// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::cli {

/// `--write-fix DIR` of check and diagnose.
struct FixFlags {
  std::string folder;  ///< Empty: nothing is written.
  std::string python;  ///< That has the converter; empty: an environment that edgeprobe makes.
};

/// kUsage when the folder holds something, or is no folder: a fix is not mixed with other files.
Status check_fix_folder(const FixFlags& flags);

/// The folder of a fix while it is being written: what is in it and in the list is the same.
class FixFolder {
 public:
  FixFolder(std::filesystem::path path, diagnose::WrittenFix& fix)
      : path_(std::move(path)), fix_(fix) {}
  const std::filesystem::path& path() const { return path_; }

  /// Writes a text, and lists it. The folder is made with the first file.
  Status write(diagnose::FixFile kind, const std::string& name, const std::string& text,
               std::string command);
  /// Copies a file into the folder, and lists it.
  Status copy(diagnose::FixFile kind, const std::filesystem::path& from, const std::string& name,
              std::string command);
  /// Takes every file of that kind away again.
  void remove(diagnose::FixFile kind);
  /// README and fix.json, unless nothing else is there; then the folder is taken away, too.
  Status finish(const diagnose::Verdict& verdict);

 private:
  Status make();
  std::filesystem::path path_;
  diagnose::WrittenFix& fix_;
  bool made_ = false;
};

}  // namespace edgeprobe::cli
