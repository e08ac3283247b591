// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/result.h"
#include "core/scratch_folder.h"

namespace edgeprobe::check {

/// Where the traces of one check lie: a folder that is kept, or one that is not.
struct TraceFolder {
  std::filesystem::path path;
  std::optional<ScratchFolder> scratch;

  /// A failure to write there, without the advice to recover a trace that goes with the folder.
  Error without_advice(Error error) const;
};

/// `keep` is created if it is missing; empty: a scratch folder.
Result<TraceFolder> trace_folder(const std::filesystem::path& keep);

}  // namespace edgeprobe::check
