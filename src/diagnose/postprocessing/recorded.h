// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/tensor.h"
#include "trace/answer.h"

/// Searches for post-processing faults in outputs and answers that the target recorded.
namespace edgeprobe::diagnose::postprocessing {

struct RecordedFrame {
  std::uint32_t number = 0;
  std::vector<Tensor> outputs;  ///< In the order of the model's outputs.
  trace::Answer answer;
};

}  // namespace edgeprobe::diagnose::postprocessing
