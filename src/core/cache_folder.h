// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/result.h"

namespace edgeprobe {

/// $XDG_CACHE_HOME/edgeprobe or $HOME/.cache/edgeprobe; nullopt if neither is an absolute path.
std::optional<std::filesystem::path> cache_folder();

/// The same folder, created if missing (mode 0700), with links resolved. kUsage if neither variable
/// is set, or if anyone but the caller and root could write there: its contents are executed.
/// `otherwise` tells the user what to do instead.
Result<std::filesystem::path> private_cache_folder(const std::string& otherwise);

/// kUsage unless `folder` is a real folder that only the caller may write to; `otherwise` as above.
Status check_private(const std::filesystem::path& folder, const std::string& otherwise);

}  // namespace edgeprobe
