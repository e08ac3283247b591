// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "evidence/evidence.h"

namespace edgeprobe::evidence {

/// A member of the archive.
struct Member {
  std::string name;
  std::uint64_t bytes = 0;
  std::string sha256;
};

struct Opened {
  Evidence evidence;
  std::vector<Member> members;
};

/// A ZIP archive of manifest.json, the model, and one file for each tensor. Equal evidence gives
/// equal bytes.
Result<Bytes> written(const Evidence& evidence);

/// Any bytes. kCorrupt for what is no such file, for members whose hash is not the manifest's, and
/// for tensors whose bytes do not fit their shape; kLimit above 256 MB.
Result<Opened> read(ByteView file);

}  // namespace edgeprobe::evidence
