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

/// Builds a ZIP archive of manifest.json, the model, and one file for each tensor. Equal evidence
/// yields equal bytes.
Result<Bytes> written(const Evidence& evidence);

/// Accepts any bytes. kCorrupt if it is not an evidence file, if a member's hash differs from the
/// manifest's, or if a tensor's bytes do not fit its shape; kLimit above 256 MB.
Result<Opened> read(ByteView file);

}  // namespace edgeprobe::evidence
