// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"

namespace edgeprobe::placement {

/// A configuration that is profiled: a model, or a plan and the model that it divides.
struct Subject {
  std::string cfg;              ///< Relative to the folder, '/' between parts; of a file its name.
  std::filesystem::path model;  ///< "" where a plan has none.
  std::filesystem::path plan;   ///< "": the model as it is.
};

/// The model files and plans of a folder and of those in it, in the order of their names; or the
/// one that is named. A plan divides the model of the same stem beside it, else `model` ("": none
/// was named). Links to folders are not followed. `note` gets a sentence about what is left out:
/// JSON files that are no plan, folders that may not be read, links to nothing. kUsage for a path
/// that is not there or holds nothing to profile.
Result<std::vector<Subject>> subjects_in(const std::filesystem::path& path,
                                         const std::filesystem::path& model,
                                         const std::function<void(const std::string&)>& note);

}  // namespace edgeprobe::placement
