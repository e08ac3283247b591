// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::family {

/// A tensor of a safetensors file.
struct Stored {
  std::string dtype;  ///< "F32", "F16", "BF16", "F64", "I64", …
  std::vector<std::int64_t> shape;
  ByteView bytes;
};

/// Name to tensor. The bytes belong to the caller. kCorrupt for a header that is not JSON of this
/// format, for ranges outside the file, that overlap, leave gaps, or do not match the shape.
Result<std::map<std::string, Stored>> read_safetensors(ByteView file);

}  // namespace edgeprobe::family
