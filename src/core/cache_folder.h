// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/result.h"

namespace edgeprobe::cli {

/// $XDG_CACHE_HOME/edgeprobe or $HOME/.cache/edgeprobe, made when it is missing (mode 0700),
/// without links in its path. kUsage when neither is set, or when anybody but the caller and root
/// could put something there: what lies in it is run.
Result<std::filesystem::path> private_cache_folder();

/// kUsage unless `folder` is a real folder of the caller that nobody else may write to.
Status check_private(const std::filesystem::path& folder);

}  // namespace edgeprobe::cli
