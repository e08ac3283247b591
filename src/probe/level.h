// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/channel.h"

namespace edgeprobe::probe {

/// How much of a frame is recorded; each holds what the ones before hold.
enum class Level {
  kOff = -1,       ///< Nothing: the budget is used up, or the file failed.
  kNone = 0,       ///< Records of frames, spans, marks, sensors.
  kIo = 1,         ///< And raw inputs, steps, inputs and outputs of the model, variables.
  kEmbedding = 2,  ///< And the layers that are embeddings.
  kLayers = 3,     ///< And all layers.
};
const char* name(Level level);  ///< "off", "none", "io", "embedding", "layers".

/// The lowest level at which a tensor is recorded.
inline Level least_level(trace::Stage stage, bool is_embedding) {
  if (stage == trace::Stage::kLayer) return is_embedding ? Level::kEmbedding : Level::kLayers;
  return stage == trace::Stage::kSpan ? Level::kNone : Level::kIo;
}

}  // namespace edgeprobe::probe
