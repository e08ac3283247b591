#include "cli/temporary.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "core/disk.h"
#include "core/text.h"
#include "trace/recovery_advice.h"

namespace edgeprobe::cli {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code none;
  const fs::path parent = fs::temp_directory_path(none);
  if (none) {
    const char* const named = std::getenv("TMPDIR");
    return Error{Fault::kUsage, "temporary files have no folder: '" + printable(named && *named ? named : "/tmp", 300) + "' is none" +
                                    (named && *named ? "; make it, or let TMPDIR name another" : "; let TMPDIR name one")};
  }
  std::string pattern = (parent / "edgeprobe-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) {
    const int code = errno;
    return Error{disk_fault(code, Fault::kUsage), "a temporary folder cannot be made in '" + printable(parent.string(), 300) + "': " + disk_problem(pattern, code)};
  }
  return TemporaryFolder(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Error TraceFolder::told(Error error) const {
  if (temporary) error.what = trace::without_recovery_advice(std::move(error.what));
  return error;
}

Result<TraceFolder> trace_folder(const std::string& keep) {
  TraceFolder folder;
  if (keep.empty()) {
    auto made = TemporaryFolder::make();
    if (!made) return std::move(made.error());
    folder.temporary.emplace(*std::move(made));
    folder.path = folder.temporary->path();
    return folder;
  }
  std::error_code failure;
  fs::create_directories(keep, failure);
  if (failure) return Error{Fault::kUsage, "'" + printable(keep) + "': cannot create: " + failure.message()};
  folder.path = keep;
  return folder;
}

}  // namespace edgeprobe::cli
