// SPDX-License-Identifier: Apache-2.0
#include "check/trace_folder.h"

#include "core/text.h"
#include "trace/record/recovery_advice.h"

namespace edgeprobe::check {

namespace fs = std::filesystem;

Error TraceFolder::without_advice(Error error) const {
  if (scratch) error.what = trace::without_recovery_advice(std::move(error.what));
  return error;
}

Result<TraceFolder> trace_folder(const fs::path& keep) {
  TraceFolder folder;
  if (keep.empty()) {
    EP_TRY(auto made, ScratchFolder::make());
    folder.scratch.emplace(std::move(made));
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
