// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/tensor.h"
#include "trace/answer.h"

/// The search for faults behind the model, on outputs and answers that the target itself recorded.
namespace edgeprobe::diagnose::postprocessing {

struct RecordedFrame {
  std::uint32_t number = 0;
  std::vector<Tensor> outputs;  ///< One for each output of the model.
  trace::Answer answer;
};

}  // namespace edgeprobe::diagnose::postprocessing
