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
  std::string tool;                 ///< "curl"; empty when it was there.
  std::uint64_t archive_bytes = 0;  ///< As it came; 0 when it was there.
  std::uint64_t library_bytes = 0;
};

/// Brings the pinned archive, and its library into `folder` (of folder_below()): whole and with the
/// right hashes, or not at all. Two calls at once do the work once. kCorrupt when what comes has
/// another hash, kNotFound when the index has no such file; else as download().
Result<Fetched> fetch(const Pin& pin, const PackageIndex& index,
                      const std::filesystem::path& folder, const Control& control);

}  // namespace edgeprobe::engine
