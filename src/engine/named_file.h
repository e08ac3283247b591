// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/bytes.h"
#include "core/result.h"
#include "engine/private_folder.h"
#include "process/shared_memory.h"

namespace edgeprobe::engine {

/// Bytes under a file name with the extension that an engine expects: a link in a private folder to
/// nameless memory, so that the model is not on disk. The destructor removes the name.
class NamedFile {
 public:
  static Result<NamedFile> create(ByteView bytes, const char* name);
  const std::filesystem::path& path() const { return path_; }

 private:
  NamedFile(process::SharedMemory memory, PrivateFolder folder, const char* name)
      : memory_(std::move(memory)), folder_(std::move(folder)), path_(folder_.path() / name) {}
  process::SharedMemory memory_;
  PrivateFolder folder_;
  std::filesystem::path path_;
};

}  // namespace edgeprobe::engine
