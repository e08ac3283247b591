// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/result.h"

namespace edgeprobe {

/// Where write_file (core/file.h) may write: over a regular file, or through what is open or can be
/// opened. What stdout or stderr is already, a pipe with a reader and a character device are
/// written through; a link to a regular file or to nothing, a folder and a disk are refused. Asked
/// before any work is done for nothing.
Status check_writable(const std::filesystem::path& path);

}  // namespace edgeprobe
