// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"
#include "trace/answer.h"

/// Searches for faults after models whose answer is a vector or an anomaly score, in inputs,
/// outputs and answers that the target recorded.
namespace edgeprobe::diagnose::numbers {

/// One frame of the target.
struct RecordedFrame {
  std::uint32_t number = 0;
  std::vector<Tensor> inputs, outputs;  ///< In the model's order.
  trace::Answer answer;
};

}  // namespace edgeprobe::diagnose::numbers
