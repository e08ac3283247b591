// SPDX-License-Identifier: Apache-2.0
#include "diagnose/replay/crossed.h"

#include <algorithm>

#include "diagnose/case/rerun.h"
#include "pipeline/carry.h"
#include "pipeline/function/user_function.h"

namespace edgeprobe::diagnose {

namespace {

// Same type and scale; an ONNX input has no scale, so any codes are accepted.
bool are_codes_of(const TensorSpec& recorded, const TensorSpec& wanted) {
  return recorded.dtype == wanted.dtype &&
         (wanted.quantization.empty() || recorded.quantization == wanted.quantization);
}

// True for several inputs, or one that changes its size between frames and so has several channels.
bool takes_tensors(const pipeline::Pipeline& model, const Study& study) {
  return model.open_inputs.size() > 1 || has_several_sizes(*study.known.target);
}

}  // namespace

Result<Answers> reference_on_recorded(const Study& study, const std::vector<std::uint32_t>& frames,
                                      const Control& control) {
  const Case& known = study.known;
  Answers answers;
  const trace::ReadChannel* const channel = study.input.target;
  // Frames are sampled, so a state would come from other frames.
  if (!known.reference_pipeline || !channel || pipeline::keeps_state(*known.reference_pipeline))
    return answers;
  if (takes_tensors(*known.reference_pipeline, study))
    return on_recorded(*known.reference_pipeline, *known.target, frames,
                       "frames of the reference on the recorded input", control);
  const TensorSpec& wanted = known.reference_pipeline->input();
  const TensorSpec& recorded = channel->channel.spec;
  const bool same = are_codes_of(recorded, wanted);
  if (recorded.shape != wanted.shape || (!same && wanted.dtype != DType::kFloat32)) return answers;
  Rerun rerun(known, partners(study), *known.reference_pipeline);
  for (const std::uint32_t frame : frames) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto message, known.target->read(frame, channel->id));
    answers.frames.push_back(frame);
    answers.outputs.emplace_back();
    if (!message) continue;
    Tensor input{wanted, message->bytes.copy()};
    if (!same) {
      EP_TRY(const auto values, to_float(*message));
      input = make_tensor(wanted.name, wanted.shape, values);
    }
    auto outputs = rerun.infer(frame, input);
    if (!outputs) return std::move(outputs.error()).during("reference on the recorded input");
    answers.outputs.back() = *std::move(outputs);
    if (control.progress)
      control.progress(answers.frames.size(), frames.size(),
                       "frames of the reference on the recorded input");
  }
  return answers;
}

Result<std::optional<Answers>> on_reference_input(const Study& study,
                                                  const std::vector<std::uint32_t>& frames,
                                                  const Control& control) {
  const Case& known = study.known;
  if (!known.target_model || pipeline::keeps_state(*known.target_model))
    return std::optional<Answers>();
  if (takes_tensors(*known.target_model, study)) {
    const auto partner = partners(study);
    std::vector<std::uint32_t> of_reference;
    for (const std::uint32_t frame : frames) of_reference.push_back(partner.at(frame));
    EP_TRY(auto answers,
           on_recorded(*known.target_model, *known.reference, of_reference,
                       "frames of the target's model on the reference's input", control));
    answers.frames = frames;
    const bool fits = std::any_of(answers.outputs.begin(), answers.outputs.end(),
                                  [](const Outputs& outputs) { return !outputs.empty(); });
    return fits ? std::optional(std::move(answers)) : std::nullopt;
  }
  const trace::ReadChannel* const channel = study.input.reference;
  if (!channel) return std::optional<Answers>();
  // Codes are passed on unchanged, so another scale would change their values.
  const TensorSpec &recorded = channel->channel.spec, &wanted = known.target_model->input();
  if (recorded.dtype == wanted.dtype && !are_codes_of(recorded, wanted))
    return std::optional<Answers>();
  const auto partner = partners(study);
  Rerun rerun(known, partner, *known.target_model);
  Answers answers;
  for (const std::uint32_t frame : frames) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto message, known.reference->read(partner.at(frame), channel->id));
    answers.frames.push_back(frame);
    answers.outputs.emplace_back();
    if (!message) continue;
    const auto input = pipeline::fit_input(message->copy(), known.target_model->input());
    // Another size or type: this model cannot take the reference's input.
    if (!input) return std::optional<Answers>();
    auto outputs = rerun.infer(frame, *input);
    if (!outputs)
      return std::move(outputs.error()).during("target's model on the reference's input");
    answers.outputs.back() = *std::move(outputs);
    if (control.progress)
      control.progress(answers.frames.size(), frames.size(),
                       "frames of the target's model on the reference's input");
  }
  return std::optional(std::move(answers));
}

}  // namespace edgeprobe::diagnose
