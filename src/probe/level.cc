#include "probe/level.h"

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

Level least_level(trace::Stage stage, bool is_embedding) {
  switch (stage) {
    case trace::Stage::kLayer: return is_embedding ? Level::kEmbedding : Level::kLayers;
    case trace::Stage::kSpan: return Level::kNone;
    default: return Level::kIo;
  }
}

}  // namespace edgeprobe::probe
