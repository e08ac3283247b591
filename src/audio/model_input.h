// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "audio/synthesis.h"
#include "core/tensor.h"

namespace edgeprobe::audio {

/// Quantisation of an integer input: scale, zero point, and the range of its codes.
struct Coding {
  double scale = 1;
  double zero = 0, low = 0, high = 0;
};
double code_of(double value, const Coding& coding, const FrontEnd& front_end);
/// The quantisation of a model's input, or the one that the front end states. kUsage for a real
/// input.
Result<Coding> coding_of(const FrontEnd& front_end, const TensorSpec& model_input);

/// The model input, with exactly the shape and type of `model_input`; if that is impossible, kUsage
/// states what would have to change.
Result<Tensor> model_input_of(const FrontEnd& front_end, const Clip& clip,
                              const TensorSpec& model_input);
Result<Tensor> model_input_of(const FrontEnd& front_end, const Rows& features,
                              const TensorSpec& model_input);

}  // namespace edgeprobe::audio
