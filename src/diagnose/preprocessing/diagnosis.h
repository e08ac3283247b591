// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/model/input_diagnosis.h"

namespace edgeprobe::diagnose {

/// Names the deviations of the target's pre-processing, using only the raw images, the recorded
/// tensors and the reference's recipe. `target_input` is the spec of the target model's input
/// (dtype, quantisation), `reference_input` that of the reference model's.
Result<InputDiagnosis> diagnose_input(const std::vector<InputFrame>& frames,
                                      const preprocess::Recipe& reference,
                                      const TensorSpec& reference_input,
                                      const TensorSpec& target_input);

}  // namespace edgeprobe::diagnose
