// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/result.h"
#include "core/scratch_folder.h"

namespace edgeprobe::check {

/// Folder for the traces of one check, kept or temporary.
struct TraceFolder {
  std::filesystem::path path;
  std::optional<ScratchFolder> scratch;

  /// The error of a failed write in this folder. If the trace is deleted with the folder, without
  /// the advice to recover it, and with that to set TMPDIR.
  Error without_advice(Error error) const;
};

/// Creates `keep` if it is missing; empty: a scratch folder.
Result<TraceFolder> trace_folder(const std::filesystem::path& keep);

}  // namespace edgeprobe::check
