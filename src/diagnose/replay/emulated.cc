// SPDX-License-Identifier: Apache-2.0
#include "diagnose/replay/emulated.h"

namespace edgeprobe::diagnose {

Result<Answers> emulated_answers(precision::StepRunner& runner, const layers::ModelFile& model,
                                 std::vector<precision::Values> inputs,
                                 const std::vector<std::uint32_t>& frames, precision::Scheme scheme,
                                 const std::set<std::size_t>& exact, const Control& control) {
  auto outputs = precision::emulate(runner, model, std::move(inputs), scheme, exact, control);
  if (!outputs) return std::move(outputs.error());
  Answers answers;
  answers.frames = frames;
  for (const std::vector<Tensor>& tensors : *outputs) {
    auto answer = outputs_of(tensors);
    if (!answer) return std::move(answer.error());
    answers.outputs.push_back(*std::move(answer));
  }
  return answers;
}

}  // namespace edgeprobe::diagnose
