// SPDX-License-Identifier: Apache-2.0
#include "engine/named_file.h"

#include <cstring>
#include <string>

#include "core/text.h"

namespace edgeprobe::engine {

Result<NamedFile> NamedFile::create(ByteView bytes, const char* name) {
  EP_TRY(auto memory, process::SharedMemory::create(bytes.size, "edgeprobe model"));
  if (bytes.size > 0) std::memcpy(memory.data(), bytes.data, bytes.size);
  EP_TRY(auto folder, PrivateFolder::create());
  NamedFile file(std::move(memory), std::move(folder), name);
  std::error_code failed;
  std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(file.memory_.descriptor()),
                                  file.path_, failed);
  if (failed)
    return Error{ErrorKind::kTarget, "no link can be made as '" +
                                         sanitized(file.path_.string(), 200) +
                                         "': " + failed.message()};
  return file;
}

}  // namespace edgeprobe::engine
