// SPDX-License-Identifier: Apache-2.0
#include "core/scratch_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "core/file.h"
#include "core/text.h"

namespace edgeprobe {

namespace fs = std::filesystem;

Result<ScratchFolder> ScratchFolder::make() {
  std::error_code none;
  const fs::path parent = fs::temp_directory_path(none);
  if (none) {
    const char* const named = std::getenv("TMPDIR");
    return Error{
        ErrorKind::kUsage,
        "temporary files need a folder: '" + sanitized(named && *named ? named : "/tmp", 300) +
            "' is not one" +
            (named && *named ? "; create it, or set TMPDIR to another" : "; set TMPDIR to one")};
  }
  std::string pattern = (parent / "edgeprobe-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) {
    const int code = errno;
    return Error{disk_error_kind(code, ErrorKind::kUsage),
                 "a temporary folder cannot be made in '" + sanitized(parent.string(), 300) +
                     "': " + disk_problem(pattern, code)};
  }
  return ScratchFolder(pattern);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace edgeprobe
