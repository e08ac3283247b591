// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/result.h"
#include "core/tensor.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {

/// The picture between two steps. Pixels stay [height, width, channels]; layout(nchw) takes effect
/// only when the tensor is stored.
struct State {
  Raster raster;
  ChannelOrder order = ChannelOrder::kRgb;
  bool nchw = false;
  Memory memory = Memory::kAsDeclared;
  bool scaled = false;  ///< A step changed the meaning of the values from 0..255.
  /// Type from the last cast or quantize; unset for real numbers.
  std::optional<DType> stored{};
  /// Values that 0 and 255 were mapped to (in the widest channel), for display.
  double low = 0, high = 255;
};

/// Runs one step; errors do not name the step, callers add that.
Status run_step(const Step& step, const TensorSpec& model_input, State& state);
/// Stores the picture as the model's input.
Result<Tensor> finish(const State& state, const TensorSpec& model_input);

}  // namespace edgeprobe::preprocess
