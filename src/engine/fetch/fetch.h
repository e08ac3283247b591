// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/control.h"
#include "core/result.h"
#include "engine/fetch/index.h"
#include "engine/fetch/pin.h"

namespace edgeprobe::engine {

/// A library in the user's cache.
struct Fetched {
  std::filesystem::path library;
  bool was_there = false;
  std::string tool;                 ///< Such as "curl"; empty if it was cached.
  std::uint64_t archive_bytes = 0;  ///< Size of the download; 0 if it was cached.
  std::uint64_t library_bytes = 0;
};

/// Downloads the pinned archive and puts its library into `folder` (of folder_below()): complete
/// and with the right hashes, or not at all. Concurrent calls do the work once. kCorrupt if the
/// download has another hash, kNotFound if the index lacks the file; else like download().
Result<Fetched> fetch(const Pin& pin, const PackageIndex& index,
                      const std::filesystem::path& folder, const Control& control);

}  // namespace edgeprobe::engine
