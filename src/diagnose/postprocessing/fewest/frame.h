// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"
#include "postprocess/detection/coordinates.h"
#include "trace/answer.h"

namespace edgeprobe::diagnose::fewest {

/// One frame of the target, whose answer has places in a picture.
struct PlacedFrame {
  std::uint32_t number = 0;
  std::vector<Tensor> outputs;  ///< One for each output of the model.
  trace::Answer answer;
  postprocess::detection::Size picture;  ///< Of what the app got, in pixels.
};

}  // namespace edgeprobe::diagnose::fewest
