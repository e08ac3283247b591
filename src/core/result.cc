// SPDX-License-Identifier: Apache-2.0
#include "core/result.h"

namespace edgeprobe {

const char* name(Fault fault) {
  switch (fault) {
    case Fault::kUsage: return "usage";
    case Fault::kNotFound: return "not found";
    case Fault::kCorrupt: return "corrupt";
    case Fault::kUnsupported: return "unsupported";
    case Fault::kLimit: return "limit";
    case Fault::kTarget: return "target";
    case Fault::kInterrupted: return "interrupted";
  }
  return "unknown";
}

}  // namespace edgeprobe
