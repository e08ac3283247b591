// SPDX-License-Identifier: Apache-2.0
#include "probe/logged.h"

namespace edgeprobe::probe {

const char* name(Level level) {
  switch (level) {
    case Level::kOff: return "off";
    case Level::kNone: return "none";
    case Level::kIo: return "io";
    case Level::kEmbedding: return "embedding";
    case Level::kLayers: break;
  }
  return "layers";
}

}  // namespace edgeprobe::probe
