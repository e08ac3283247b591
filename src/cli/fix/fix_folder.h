// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::cli {

/// The --write-fix DIR flag of check and diagnose.
struct FixFlags {
  std::string folder;  ///< Empty: nothing is written.
  std::string python;  ///< A Python with the converter; empty: an environment made by edgeprobe.
};

/// kUsage if the folder is not empty or not a folder: a fix is not mixed with other files.
Status check_fix_folder(const FixFlags& flags);

/// The folder of a fix being written: keeps its files and its list consistent.
class FixFolder {
 public:
  FixFolder(std::filesystem::path path, diagnose::WrittenFix& fix)
      : path_(std::move(path)), fix_(fix) {}
  const std::filesystem::path& path() const { return path_; }

  /// Writes a text file and lists it. The folder is created with the first file.
  Status write(diagnose::FixFile kind, const std::string& name, const std::string& text,
               std::string command);
  /// Copies a file into the folder, and lists it.
  Status copy(diagnose::FixFile kind, const std::filesystem::path& from, const std::string& name,
              std::string command);
  /// Removes every file of that kind.
  void remove(diagnose::FixFile kind);
  /// Writes README and fix.json, or removes the folder if it has no other files.
  Status finish(const diagnose::Verdict& verdict);

 private:
  Status make();
  std::filesystem::path path_;
  diagnose::WrittenFix& fix_;
  bool made_ = false;
};

}  // namespace edgeprobe::cli
