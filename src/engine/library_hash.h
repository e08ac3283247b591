// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "core/result.h"

namespace edgeprobe::engine {

/// SHA-256 of a library as 64 lower-case hex digits. A check starts several engine processes, and
/// each states the hash of its library (20 to 30 MB): the hash is stored in the user's cache folder
/// (hashes/), and used again while path, device, inode, size and times of modification and of
/// status change are those of the stored one. Only root can set the last one, so a library
/// that was replaced is hashed again. Not stored: files that changed within the last ten seconds
/// before `now`, small files, and everything if other users may write to the cache folder.
Result<std::string> library_sha256(
    const std::filesystem::path& library,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

}  // namespace edgeprobe::engine
