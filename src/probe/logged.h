// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/bytes.h"
#include "core/dtype.h"
#include "trace/channel.h"

namespace edgeprobe::probe {

/// How much of a frame is recorded; each level includes the previous ones.
enum class Level {
  kOff = -1,  ///< Nothing: the budget is used up, or writing failed.
  kNone = 0,  ///< Records of frames, spans, marks, sensors.
  /// Plus raw inputs, pre-processing steps, inputs and outputs of the model, variables.
  kIo = 1,
  kEmbedding = 2,  ///< Plus the layers that are embeddings.
  kLayers = 3,     ///< Plus all layers.
};
const char* name(Level level);  ///< "off", "none", "io", "embedding", "layers".

/// The lowest level at which a tensor is recorded.
inline Level least_level(trace::Stage stage, bool is_embedding) {
  if (stage == trace::Stage::kLayer) return is_embedding ? Level::kEmbedding : Level::kLayers;
  return stage == trace::Stage::kSpan ? Level::kNone : Level::kIo;
}

/// An application's description of a tensor that it logs; all pointers are borrowed for the call.
struct Logged {
  trace::Stage stage = trace::Stage::kIntermediate;
  bool is_embedding = false;
  DType dtype = DType::kFloat32;
  std::uint32_t rank = 0, scale_count = 0, trait_count = 0;
  std::int32_t axis = 0, position = -1;
  std::string_view name, layer_type;
  const std::int64_t* shape = nullptr;
  const float* scale = nullptr;
  const std::int64_t* zero_point = nullptr;  ///< Null means 0.
  const char* encoding = nullptr;            ///< A string literal; null if none.
  /// Further numbers that distinguish two channels (strides, sample rate), and the function that
  /// adds them to a channel.
  const std::int64_t* traits = nullptr;
  void (*describe)(const std::int64_t* traits, trace::Channel& channel) = nullptr;
  /// Stage and position as the application numbers them, for recognition (Frame::expected); -1 if
  /// none.
  std::int32_t told_stage = -1, told_position = -1;
};

}  // namespace edgeprobe::probe
