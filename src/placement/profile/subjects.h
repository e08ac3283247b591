// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"

namespace edgeprobe::placement {

/// A configuration to profile: a model, or a plan and the model that it divides.
struct Subject {
  /// Relative to the folder, with '/' separators; for a file, its name.
  std::string cfg;
  std::filesystem::path model;  ///< "" if a plan has no model.
  std::filesystem::path plan;   ///< "": the unmodified model.
};

/// The model files and plans in a folder and its subfolders, sorted by name; or the named file. A
/// plan divides the model with the same stem next to it, or else `model` ("": none was named).
/// Links to folders are not followed. `note` gets a sentence about skipped files: JSON files that
/// are not plans, unreadable folders, dangling links. kUsage for a path that does not exist or
/// contains nothing to profile.
Result<std::vector<Subject>> subjects_in(const std::filesystem::path& path,
                                         const std::filesystem::path& model,
                                         const std::function<void(const std::string&)>& note);

}  // namespace edgeprobe::placement
