// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/bytes.h"
#include "core/result.h"
#include "engine/private_folder.h"
#include "process/shared_memory.h"

namespace edgeprobe::engine {

/// Bytes under a name that ends as an engine wants it: a link in a private folder to memory without
/// a name, so that the model lies on no disk. The name goes with this object.
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
