// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/result.h"

namespace edgeprobe {

/// What an errno of writing to `path` means: what happened, on which disk, and what to do about it.
std::string disk_problem(const std::filesystem::path& path, int code);
/// kLimit for want of room, kTarget for a disk that cannot be written, else `otherwise`.
ErrorKind disk_error_kind(int code, ErrorKind otherwise);

}  // namespace edgeprobe
