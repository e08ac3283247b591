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
  std::uint64_t without_checksum = 0;  ///< Chunks without a checksum.
  bool is_finished = false;
  /// A copy made by export_view(): messages for viewers, no tensors.
  bool is_view = false;
  /// Channels of other programs: valid, but not part of a trace.
  std::uint64_t foreign_channels = 0;
  std::vector<std::string> problems;  ///< Empty if the file is what its writer wrote.
};

/// Reads every byte: verifies the checksums of chunks, metadata, attachments, summary and data
/// section, the lengths of all records, and the indexes against the contents. Fails like
/// Reader::open, or with kInterrupted if stopped; progress is in bytes. Messages of other programs
/// are checked only as bytes.
Result<VerifyReport> verify(const std::filesystem::path& path, const Control& control = {});

}  // namespace edgeprobe::trace
