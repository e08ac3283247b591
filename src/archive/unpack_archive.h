// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/control.h"
#include "core/result.h"

/// Unpacks archives of data sets. Their members are untrusted: none may leave the folder.
namespace edgeprobe::archive {

struct UnpackOptions {
  /// Beginnings of the members that are unpacked; empty: all.
  std::vector<std::string> only;
  std::uint64_t most_bytes = std::uint64_t{64} << 30;  ///< Of all members together.
  std::uint64_t most_members = 2'000'000;
};

/// A member's name as a path below a folder. kCorrupt for an absolute path, a "..", a backslash, a
/// control character, and an empty name.
Result<std::filesystem::path> safe_path(std::string_view member);

/// Unpacks a .zip, .tar or .tar.gz file into a folder that exists; returns the number of files.
/// Links and devices are refused, as is a name that occurs twice or exists already. Hidden files
/// ("._a.jpg" of macOS) are left out. Files that were written before an error stay. kCorrupt for a
/// damaged archive, kUnsupported for another format, kLimit beyond the options and for a full disk.
Result<std::uint64_t> unpack_archive(const std::filesystem::path& file,
                                     const std::filesystem::path& folder,
                                     const UnpackOptions& options, const Control& control);

}  // namespace edgeprobe::archive
