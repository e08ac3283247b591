// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"

namespace edgeprobe::trace {

struct VerifyReport {
  std::uint64_t bytes = 0, chunks = 0, messages = 0;
  std::uint64_t without_checksum = 0;  ///< Chunks that nothing can be checked by.
  bool is_finished = false;
  /// A copy that export_view() made: messages for viewers, no tensors.
  bool is_view = false;
  /// Another program's: sound, and nothing that a trace describes.
  std::uint64_t foreign_channels = 0;
  std::vector<std::string> problems;  ///< Empty: the file is what its writer wrote.
};

/// Reads every byte: the checksums of chunks, metadata, attachments, summary and data section, the
/// lengths of all records, and whether the indexes say what is there. Fails as Reader::open does,
/// or kInterrupted when stopped; progress is in bytes. Messages of other programs are checked as
/// bytes.
Result<VerifyReport> verify(const std::filesystem::path& path, const Control& control = {});

}  // namespace edgeprobe::trace
