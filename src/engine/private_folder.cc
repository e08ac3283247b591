// SPDX-License-Identifier: Apache-2.0
#include "engine/private_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/text.h"

namespace edgeprobe::engine {

Result<PrivateFolder> PrivateFolder::create() {
  std::error_code failed;
  const auto parent = std::filesystem::temp_directory_path(failed);
  std::string path = (failed ? std::filesystem::path("/tmp") : parent) / "edgeprobe-engine-XXXXXX";
  if (!::mkdtemp(path.data()))
    return Error{ErrorKind::kTarget, "no folder for temporary files can be made in '" +
                                         sanitized(parent.string(), 200) +
                                         "': " + std::strerror(errno)};
  return PrivateFolder(path);
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace edgeprobe::engine
