// SPDX-License-Identifier: Apache-2.0
#include "check/trace_folder.h"

#include <string_view>

#include "core/text.h"
#include "trace/record/recovery_advice.h"

namespace edgeprobe::check {

namespace fs = std::filesystem;

namespace {

/// The user chooses the disk of temporary files by a variable (the advice is that of disk.cc).
Error naming_tmpdir(Error error) {
  constexpr std::string_view kElsewhere = "write to another disk";
  if (const auto at = error.what.rfind(kElsewhere); at != std::string::npos)
    error.what.replace(at, kElsewhere.size(), "set TMPDIR to a folder on another disk");
  return error;
}

}  // namespace

Error TraceFolder::without_advice(Error error) const {
  if (!scratch) return error;
  error.what = trace::without_recovery_advice(std::move(error.what));
  return naming_tmpdir(std::move(error));
}

Result<TraceFolder> trace_folder(const fs::path& keep) {
  TraceFolder folder;
  if (keep.empty()) {
    auto made = ScratchFolder::make();
    if (!made) return naming_tmpdir(std::move(made.error()));
    folder.scratch.emplace(*std::move(made));
    folder.path = folder.scratch->path();
    return folder;
  }
  std::error_code failure;
  fs::create_directories(keep, failure);
  if (failure)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(keep.string()) + "': cannot create: " + failure.message()};
  folder.path = keep;
  return folder;
}

}  // namespace edgeprobe::check
