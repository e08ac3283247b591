// SPDX-License-Identifier: Apache-2.0
#include "diagnose/replay/emulated.h"

namespace edgeprobe::diagnose {

Result<Answers> emulated_answers(precision::StepRunner& runner, const layers::ModelFile& model,
                                 std::vector<precision::Values> inputs,
                                 const std::vector<std::uint32_t>& frames, precision::Scheme scheme,
                                 const std::set<std::size_t>& exact, const Control& control) {
  EP_TRY(auto outputs,
         precision::emulate(runner, model, std::move(inputs), scheme, exact, control));
  Answers answers;
  answers.frames = frames;
  for (const std::vector<Tensor>& tensors : outputs) {
    EP_TRY(auto answer, outputs_of(tensors));
    answers.outputs.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace edgeprobe::diagnose
