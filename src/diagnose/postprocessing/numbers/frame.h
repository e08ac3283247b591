// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"
#include "trace/answer.h"

/// The search for faults behind models whose answer is numbers: a vector, or an anomaly score. It
/// runs on inputs, outputs and answers that the target itself recorded.
namespace edgeprobe::diagnose::numbers {

/// One frame of the target.
struct RecordedFrame {
  std::uint32_t number = 0;
  std::vector<Tensor> inputs, outputs;  ///< Of the model, in its order.
  trace::Answer answer;
};

}  // namespace edgeprobe::diagnose::numbers
