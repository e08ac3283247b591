// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/result.h"
#include "core/tensor.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {

/// The picture between two steps. The pixels stay [height, width, channels]; layout(nchw) only
/// takes effect when the tensor is stored.
struct State {
  Raster raster;
  ChannelOrder order = ChannelOrder::kRgb;
  bool nchw = false;
  Memory memory = Memory::kAsDeclared;
  bool scaled = false;  ///< A step gave the values another meaning than 0..255.
  /// What the last cast or quantize made; nothing for real numbers.
  std::optional<DType> stored{};
  double low = 0, high = 255;  ///< What 0 and 255 became (the widest channel), for showing it.
};

/// Runs one step; errors do not name it, callers do.
Status run_step(const Step& step, const TensorSpec& model_input, State& state);
/// Stores the picture as the model's input.
Result<Tensor> finish(const State& state, const TensorSpec& model_input);

}  // namespace edgeprobe::preprocess
