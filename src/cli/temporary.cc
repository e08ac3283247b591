#include "cli/temporary.h"

#include <unistd.h>

#include <cstdlib>

#include "core/text.h"

namespace edgeprobe::cli {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make() {
  std::string pattern = (fs::temp_directory_path() / "edgeprobe-XXXXXX").string();
  if (!::mkdtemp(pattern.data()))
    return Error{Fault::kUsage, "cannot make a temporary folder in '" + printable(fs::temp_directory_path().string()) + "'"};
  return TemporaryFolder(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
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
