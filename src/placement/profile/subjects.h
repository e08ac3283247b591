// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"

namespace edgeprobe::placement {

/// A model to profile, a plan and the model that it divides, or the configuration of a network,
/// from which both are made first.
struct Subject {
  /// Relative to the folder, with '/' separators; for a file, its name.
  std::string cfg;
  std::filesystem::path model;  ///< "" if a plan has no model.
  std::filesystem::path plan;   ///< "": the unmodified model.
  /// A network's YAML configuration (docs/reference/families.md), else "". `model` and `plan` are
  /// then those made of it, "" before that.
  std::filesystem::path configuration = {};
};

/// The model files, plans and configurations of networks in a folder and its subfolders, sorted by
/// name; or the named file. A plan divides the model with the same stem next to it, or else `model`
/// ("": none was named). Links to folders are not followed. `note` gets a sentence about skipped
/// files: JSON files that are not plans, unreadable folders, dangling links. kUsage for a path that
/// does not exist or contains nothing to profile.
Result<std::vector<Subject>> subjects_in(const std::filesystem::path& path,
                                         const std::filesystem::path& model,
                                         const std::function<void(const std::string&)>& note);

}  // namespace edgeprobe::placement
