// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "diagnose/input/search/examiners.h"
#include "diagnose/input/tensor_inputs.h"

namespace edgeprobe::diagnose {

InputEvidence examine_tensors(const Study& study) {
  InputEvidence evidence;
  const std::vector<TensorInput> inputs = tensor_inputs(study);
  if (inputs.empty()) {
    evidence.undecided = Hint{HintKind::kRecordModelInput};
    return evidence;
  }
  if (std::any_of(inputs.begin(), inputs.end(), [](const TensorInput& input) {
        return input.state == TensorInput::State::kDiffers;
      }))
    return evidence;
  // Rounding to codes, or a state, may move the outputs.
  if (!differing_states(study).empty() ||
      std::any_of(inputs.begin(), inputs.end(), [](const TensorInput& input) {
        return input.state != TensorInput::State::kEqual;
      }))
    return evidence;
  evidence.diagnosis.emplace();
  evidence.diagnosis->status = InputDiagnosis::Status::kEqual;
  evidence.diagnosis->frames_used = evidence.diagnosis->frames_agreeing = inputs.front().frames;
  return evidence;
}

}  // namespace edgeprobe::diagnose
