// SPDX-License-Identifier: Apache-2.0
#include "core/result.h"

namespace edgeprobe {

const char* name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage: return "usage";
    case ErrorKind::kNotFound: return "not found";
    case ErrorKind::kCorrupt: return "corrupt";
    case ErrorKind::kUnsupported: return "unsupported";
    case ErrorKind::kLimit: return "limit";
    case ErrorKind::kTarget: return "target";
    case ErrorKind::kInterrupted: return "interrupted";
  }
  return "unknown";
}

}  // namespace edgeprobe
