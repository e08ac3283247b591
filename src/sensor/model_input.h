// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor.h"
#include "sensor/synthesis.h"

namespace edgeprobe::sensor {

/// The codes that an integer input of that quantisation gets, as whole numbers.
struct Coding {
  double scale = 1, zero = 0, low = 0, high = 0;
};
/// round(value / scale) + zero, saturated; halves go away from zero. The quotient is a float32, as
/// engines compute it.
double code_of(double value, const Coding& coding, const FrontEnd& front_end);
/// The quantisation of a model's input, or that which the front end states. kUsage for a real
/// input.
Result<Coding> coding_of(const FrontEnd& front_end, const TensorSpec& model_input);

/// The model input: exactly the shape and type of `model_input`, else kUsage says what would have
/// to change.
Result<Tensor> model_input_of(const FrontEnd& front_end, const Series& series,
                              const TensorSpec& model_input);

}  // namespace edgeprobe::sensor
