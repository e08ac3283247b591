// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "core/result.h"
#include "diagnose/case/case.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::check {

/// A file that this check may write. A folder of kept traces may hold one of an earlier check.
class OwnTrace {
 public:
  explicit OwnTrace(std::filesystem::path path);
  const std::filesystem::path& path() const { return path_; }
  /// True if it was written since this object was made.
  bool is_written() const;

 private:
  std::filesystem::path path_;
  std::optional<std::filesystem::file_time_type> before_;
};

/// The verdict of a check that `why` ended: the frames that both traces hold. The error itself if
/// the user neither stopped it nor an engine failed, or if no frame is finished on both sides.
/// `known`: its traces are replaced.
Result<diagnose::Verdict> cut_short(diagnose::Case known, const std::filesystem::path& target,
                                    const std::filesystem::path& reference, diagnose::CutShort why);

}  // namespace edgeprobe::check
