// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "trace/mcap/encode.h"

namespace edgeprobe::trace {

struct CopyOptions {
  bool sync = true;  ///< The target is on the disk, not only in its cache, before it gets its name.
};

struct CopyReport {
  std::uint64_t chunks = 0, messages = 0;  ///< Written.
  /// Left out: a wrong checksum, or records that do not fit.
  std::uint64_t damaged_chunks = 0;
  /// Of the source's data that are in no record that was kept.
  std::uint64_t lost_bytes = 0;
  std::uint64_t bytes_before = 0, bytes_after = 0;
  bool was_finished = false;  ///< The source had its footer.
  /// A sentence for each thing that was met and survived.
  std::vector<std::string> problems;
  bool lost_something() const {
    return !was_finished || damaged_chunks || lost_bytes || !problems.empty();
  }
};

/// A finished file of what is left of a trace that was cut or damaged: every whole chunk whose
/// checksum is right, all metadata and attachments whose checksum is right. What was lost stands in
/// the metadata "edgeprobe.recovered". Nothing is ever overwritten; `target` is there whole or not
/// at all: a stopped copy (kInterrupted) leaves nothing. Progress is in bytes of the source.
Result<CopyReport> recover(const std::filesystem::path& source, const std::filesystem::path& target,
                           const CopyOptions& options = {}, const Control& control = {});

/// The same trace with its chunks stored in another way. Memory stays within two chunks. Fails with
/// kCorrupt when the source is damaged or unfinished: recover() is for those.
Result<CopyReport> pack(const std::filesystem::path& source, const std::filesystem::path& target,
                        const Compression& compression, const CopyOptions& options = {},
                        const Control& control = {});

}  // namespace edgeprobe::trace
