// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/bytes.h"
#include "core/dtype.h"
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

/// What an application says of a tensor that it logs; everything is borrowed for the call.
struct Logged {
  trace::Stage stage = trace::Stage::kIntermediate;
  bool is_embedding = false;
  DType dtype = DType::kFloat32;
  std::uint32_t rank = 0, scale_count = 0, trait_count = 0;
  std::int32_t axis = 0, position = -1;
  std::string_view name, layer_type;
  const std::int64_t* shape = nullptr;
  const float* scale = nullptr;
  const std::int64_t* zero_point = nullptr;  ///< Null: 0.
  const char* encoding = nullptr;            ///< A literal; null: none.
  /// Numbers that tell two channels apart beside all this (strides, sample rate), and who puts them
  /// into a channel.
  const std::int64_t* traits = nullptr;
  void (*describe)(const std::int64_t* traits, trace::Channel& channel) = nullptr;
  /// Stage and position in the application's words, to know it again by (Frame::expected); -1: in
  /// none.
  std::int32_t told_stage = -1, told_position = -1;
};

}  // namespace edgeprobe::probe
