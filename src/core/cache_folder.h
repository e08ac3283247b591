// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/result.h"

namespace edgeprobe {

/// $XDG_CACHE_HOME/edgeprobe or $HOME/.cache/edgeprobe; nothing when neither is an absolute path.
std::optional<std::filesystem::path> cache_folder();

/// The same, made when it is missing (mode 0700), without links in its path. kUsage when neither is
/// set, or when anybody but the caller and root could put something there: what lies in it is run.
/// `otherwise` says what the user can do instead.
Result<std::filesystem::path> private_cache_folder(const std::string& otherwise);

/// kUsage unless `folder` is a real folder of the caller that nobody else may write to; `otherwise`
/// as above.
Status check_private(const std::filesystem::path& folder, const std::string& otherwise);

}  // namespace edgeprobe
